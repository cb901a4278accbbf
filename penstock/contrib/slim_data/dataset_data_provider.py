"""`tf.contrib.slim.dataset_data_provider`."""

from .providers import DataProvider as DataProvider
from .providers import DatasetDataProvider as DatasetDataProvider

__all__ = ["DataProvider", "DatasetDataProvider"]

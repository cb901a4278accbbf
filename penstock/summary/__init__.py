"""Summaries and event files for TensorBoard: the names of `tf.summary`."""

from .event_iterator import summary_iterator as summary_iterator
from .file_writer import FileWriter as FileWriter
from .file_writer import FileWriterCache as FileWriterCache
from .summary_functions import audio as audio
from .summary_functions import histogram as histogram
from .summary_functions import image as image
from .summary_functions import merge as merge
from .summary_functions import merge_all as merge_all
from .summary_functions import scalar as scalar
from .summary_functions import tensor_summary as tensor_summary
from .summary_functions import text as text
from .summary_messages import Event as Event
from .summary_messages import SessionLog as SessionLog
from .summary_messages import Summary as Summary
from .summary_messages import SummaryMetadata as SummaryMetadata

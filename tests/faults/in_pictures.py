"""Faults in pictures of data pipelines."""

from .planted_fault import faults

FAULTS = faults("tests/show/test_pictures_of_pipelines.py tests/show/test_pictures_of_queues.py tests/show/test_visibility.py", [
    ("a long pipeline tells of too few further stages", "show/content/pipeline_scopes.py",
     "len(told) - _MOST_STAGES + 1} more stages", "len(told) - _MOST_STAGES} more stages"),
    ("a constant that two stages read stands in the first one", "show/content/pipeline_scopes.py",
     "if len(around) == 1 and home is not None:", "if home is not None:"),
    ("two branches of a pipeline are two pipelines", "show/content/pipeline_scopes.py",
     "        for each in beside:\n            part_of[root(name)] = root(each)\n",
     "        for each in [*beside][:1]:\n            part_of[root(name)] = root(each)\n"),
])  # fmt: skip

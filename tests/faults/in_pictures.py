"""Faults in pictures of data pipelines, and in pages."""

from .planted_fault import faults

OF_PIPELINES = faults("tests/show/test_pictures_of_pipelines.py tests/show/test_pictures_of_queues.py tests/show/test_visibility.py", [
    ("a long pipeline tells of too few further stages", "show/content/pipeline_scopes.py",
     "len(told) - _MOST_STAGES + 1} more stages", "len(told) - _MOST_STAGES} more stages"),
    ("a constant that two stages read stands in the first one", "show/content/pipeline_scopes.py",
     "if len(around) == 1 and home is not None:", "if home is not None:"),
    ("two branches of a pipeline are two pipelines", "show/content/pipeline_scopes.py",
     "        for each in beside:\n            part_of[root(name)] = root(each)\n",
     "        for each in [*beside][:1]:\n            part_of[root(name)] = root(each)\n"),
])  # fmt: skip

OF_PAGES = faults("tests/show/test_page_address.py tests/show/test_run_player.py tests/show/test_window_place_browser.py "
                  "tests/show/test_page_contrast_browser.py tests/show/test_page_words_browser.py", [
    ("an address leaves open what was open before", "show/page/controls/page_address.js", "  openByPath.clear();\n", ""),
    ("an address opens the scopes that it says are shut", "show/page/controls/page_address.js",
     "setOpen(known.get(path), false);", "setOpen(known.get(path), true);"),
    ("what was opened while the run was played stays open", "show/page/controls/run_player.js",
     "  stopPlaying();\n  leaveRun();\n", "  stopPlaying();\n"),
    ("a drawing that is larger than the window stands in its middle", "show/page/controls/window_place.js",
     "if (free >= 0 || !first) return free / 2;", "if (free >= -400 || !first) return free / 2;"),
    ("a box that is out of view stays there", "show/page/controls/window_place.js",
     "if (wanted >= least && wanted <= room - least) return wanted - at;", "if (wanted >= least) return wanted - at;"),
    ("texts on dark boxes are too dark to read", "show/page/page.css", "--lightness:20%;--saturation:42%",
     "--lightness:55%;--saturation:42%"),
])  # fmt: skip

FAULTS = [*OF_PIPELINES, *OF_PAGES]

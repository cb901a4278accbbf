"""Lessons whose checks look at graphs, plans and records: `penstock learn`, or in a notebook `lessons.check(1)`."""

from .checking import Verdict
from .misconceptions import Misconception
from .notebook_checks import begin, check, hint
from .student_work import StudentRun, Work, values_in

__all__ = ["Misconception", "StudentRun", "Verdict", "Work", "begin", "check", "hint", "values_in"]

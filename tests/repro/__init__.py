"""Tests of pictures: the layout's laws, the three written forms, and graphs drawn as pictures."""

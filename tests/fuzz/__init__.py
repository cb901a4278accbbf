"""The fuzz: random programs of everything, run in many ways and compared with the reference executor.

    python -m tests.fuzz --count 100000 --state fuzz.json
    python -m tests.fuzz.of_state --count 5000
    python -m tests.fuzz.of_control --count 5000

`programs` makes a program of a seed, from the steps of `tests.random_graphs` and those of `steps`; `control_steps` have
branches and loops; `derivative_steps` differentiate what is there; `extension` declares ops that a program uses to be
difficult; `ways` are the configurations; `check` compares; `campaign` goes through the seeds and keeps the state file;
`shrink` makes a failing program small. `of_state` has programs of variables, `of_control` of branches and loops, with
models of their own.
"""

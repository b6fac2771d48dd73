"""From what a model got wrong to what it is taught: rows to fine-tune on, made of training editions and never of tests.

:mod:`~vhbench.training.sample_selection` chooses the questions, :mod:`~vhbench.training.examples` gives them true
answers (short ones, and reasoned ones whose reasons are read from the scenes), :mod:`~vhbench.training.leakage` refuses
what is scored later, :mod:`~vhbench.training.training_files` writes what TRL, LLaVA and DPO take.
"""

"""Fine-tuning data from a model's errors, built from training splits only.

:mod:`~vhbench.training.sample_selection` selects the questions, :mod:`~vhbench.training.examples` adds reference
answers (short ones, and reasoned ones with reasons from the scenes), :mod:`~vhbench.training.leakage` rejects
train/test overlap, :mod:`~vhbench.training.training_files` writes the formats of TRL, LLaVA and DPO.
"""

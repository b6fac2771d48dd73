#!/usr/bin/env python3
"""Release one built split directory on the Hugging Face Hub: ``vhbench push`` for those who have a checkout.

python push_dataset.py out/ode --repo-id ORG/vhbench-ode --version 1.0.0
"""

import sys

from vhbench.cli import main

if __name__ == "__main__":
    sys.argv = ["vhbench", "push", *sys.argv[1:]]
    main()

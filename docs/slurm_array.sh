#!/bin/bash
# Build a split with a Slurm array, one job for every N-th shard; whichever job ends last merges them all.
#
#   sbatch docs/slurm_array.sh mioh --source coco:instances_val2017.json --images val2017 --out /shared/out
#
# With models that paint, a GPU for each job and a worker for each GPU (docs/ode.md):
#
#   WORKERS=1 sbatch --gpus-per-task=1 --mem=64G docs/slurm_array.sh ode --images diffusers:NAME --detector NAME --out /shared/out
#
# OUT must be a folder that all nodes see. Other numbers of jobs: `JOBS=32 sbatch --array=0-31 docs/slurm_array.sh …`.
# What was killed or ran out of time is built by the same command again, as a whole or for those jobs alone
# (`sbatch --array=3,5 …`): finished shards are kept.
#SBATCH --job-name=vhbench
#SBATCH --array=0-7
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --output=vhbench-%A_%a.log
set -euo pipefail

: "${SLURM_ARRAY_TASK_ID:?is set by Slurm: start this with sbatch}"
# Not SLURM_ARRAY_TASK_COUNT, which is smaller where only some of the jobs are started again.
exec vhbench build "$@" --shard "$SLURM_ARRAY_TASK_ID/${JOBS:-8}" --workers "${WORKERS:-${SLURM_CPUS_PER_TASK:-1}}"

"""``vhbench build …``: one sub-command per benchmark, each in a file of its own."""

import typer

from vhbench.cli import build_mioh, build_ode, build_vhexpansion, running

app = typer.Typer(name="build", help="Build a split: a folder of Parquet files with images and questions.")
app.command("ode")(running.command(build_ode.ode))
app.command("mioh")(running.command(build_mioh.mioh))
app.command("vhexpansion")(running.command(build_vhexpansion.vhexpansion))

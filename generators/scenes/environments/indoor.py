"""Indoor environments: each function paints one onto a canvas."""

from vhbench.generators.scenes.environments import brushes as brush
from vhbench.generators.scenes.environments.brushes import SIZE, Canvas

_WOOD = ("#c79a63", "#b98a52", "#a87a45")
_STONE = ("#d9d3c8", "#cfc8bb", "#c2baac")


def kitchen(canvas: Canvas) -> None:
    """Paint cupboards above and below, and a stove with a hood."""
    brush.wall(canvas, 297, ("#f1e9d8", "#e6dcc6"), pattern="tile", ink="#cfc5ad")
    brush.floor(canvas, 302, _STONE, kind="tile")
    canvas.scenery("kitchen")
    canvas.area("cabinet", "counter", "oven", "cooktop")


def living_room(canvas: Canvas) -> None:
    """Paint a papered wall with a window, floorboards and a rug."""
    brush.wall(canvas, 287, ("#e9dcc3", "#dccaa8"), pattern="stripe")
    brush.floor(canvas, 292, _WOOD)
    _window(canvas, canvas.uniform(40, 330), 46)
    canvas.scenery("rug")
    canvas.area("carpet")


def bedroom(canvas: Canvas) -> None:
    """Paint a blue papered wall with a curtained window."""
    brush.wall(canvas, 287, ("#cfd9e6", "#bccadb"), pattern="stripe")
    brush.floor(canvas, 292, _WOOD)
    x = canvas.uniform(60, 310)
    _window(canvas, x, 46)
    for side in (x - 34, x + 112):
        canvas.rect(side, 34, 45, 190, canvas.gradient(("#8f6fa8", "#a888bf", "#7f5f98"), horizontal=True))
    canvas.rect(x - 44, 28, 211, 7, "#8a5a32", 'rx="3"')
    canvas.area("curtain")


def _window(canvas: Canvas, x: float, y: float) -> None:
    """Paint a window that shows the sky of the state."""
    canvas.rect(x, y, 123, 150, "#f7f3ea")
    pane = canvas.gradient(canvas.mood.sky[1:])
    for column in range(2):
        for row in range(2):
            canvas.rect(x + 9 + column * 55, y + 9 + row * 68, 49, 61, pane)
    canvas.rect(x - 8, y + 146, 139, 10, "#e6dfd0")
    canvas.area("window")


def bathroom(canvas: Canvas) -> None:
    """Paint white and blue tiles."""
    brush.wall(canvas, 292, ("#d6e8ee", "#c3dbe4"), pattern="tile")
    canvas.rect(0, 180, SIZE, 16, "#6fa3b8")
    brush.floor(canvas, 297, ("#b9c4cc", "#aab7c0", "#9aa8b2"), kind="tile")


def stage(canvas: Canvas) -> None:
    """Paint a theatre stage: red curtains, boards, two spotlights."""
    canvas.rect(0, 0, SIZE, 340, canvas.gradient(("#120b20", "#261a3c")))
    canvas.scenery("stage_curtains")
    brush.ground(canvas, 318, ("#9a6a3c", "#8a5a30", "#7a4d28"), word="stage", patches=10)
    canvas.scenery("stage_boards")
    canvas.area("curtain", "floor", "spotlight")


def room(canvas: Canvas) -> None:
    """Paint a bare room: wall and boards."""
    brush.wall(canvas, 287, ("#d9cdb6", "#c9bb9f"))
    brush.floor(canvas, 292, _WOOD)


def classroom(canvas: Canvas) -> None:
    """Paint a green wall with a whiteboard."""
    brush.wall(canvas, 287, ("#dfe6da", "#cdd8c8"))
    brush.floor(canvas, 292, ("#c9b48f", "#bda67e", "#ad966e"))
    canvas.rect(96, 40, 320, 168, "#9aa4ab")
    canvas.rect(106, 50, 300, 148, canvas.gradient(("#fbfcfd", "#eef2f4")))
    canvas.lines([[(130, 84), (240, 84)], [(130, 108), (290, 108)], [(130, 132), (210, 132)]], "#3b78c4", 2.4, 0.8)
    canvas.rect(106, 198, 300, 8, "#7d868c")
    canvas.area("board")


def office(canvas: Canvas) -> None:
    """Paint a plain wall, a ceiling with lights, carpet tiles and a row of windows."""
    brush.wall(canvas, 287, ("#e3e7ea", "#d3d9dd"))
    canvas.polygon([(0, 0), (SIZE, 0), (440, 60), (72, 60)], "#f2f4f5")
    for x in (170, 300):
        canvas.polygon([(x, 14), (x + 48, 14), (x + 42, 38), (x + 2, 38)], "#fffbe6")
    for x in (60, 192, 324):
        canvas.rect(x, 84, 122, 112, "#f7f7f5")
        canvas.rect(x + 7, 91, 108, 98, canvas.gradient(canvas.mood.sky[1:]))
    brush.floor(canvas, 292, ("#9aa7b4", "#8a98a6", "#7b8a99"), kind="tile")
    canvas.area("ceiling", "ceiling light", "window")

"""Indoor environments: each function paints one onto a canvas."""

from vhbench.generators.scenes.environments import brushes as brush
from vhbench.generators.scenes.environments.brushes import SIZE, Canvas

_WOOD = ("#c79a63", "#b98a52", "#a87a45")
_STONE = ("#d9d3c8", "#cfc8bb", "#c2baac")


def kitchen(canvas: Canvas) -> None:
    """Paint cupboards above and below, and a stove with a hood."""
    brush.wall(canvas, 297, ("#f1e9d8", "#e6dcc6"), pattern="tile", ink="#cfc5ad")
    brush.floor(canvas, 302, _STONE, kind="tile")
    for x in (10, 136, 387):
        _cupboard(canvas, x, 10, 120, 104, knob=(96, 80))
        _cupboard(canvas, x, 207, 123, 105, knob=(60, 14))
    for x, width in ((0, 259), (387, 125)):
        canvas.rect(x, 197, width, 13, "#e9e3d6")
    _stove(canvas, 259, 387)
    canvas.area("cabinet", "counter", "oven", "cooktop")


def _cupboard(canvas: Canvas, x: float, y: float, width: float, height: float, *, knob: brush.Point) -> None:
    canvas.rect(x, y, width, height, "#8fb0a9")
    canvas.rect(x + 7, y + 7, width - 14, height - 14, "none", 'stroke="#6f938b" stroke-width="3"')
    canvas.ellipse(x + knob[0], y + knob[1], 4, 4, "#e8d9a8")


def _stove(canvas: Canvas, left: float, right: float) -> None:
    canvas.rect(left, 197, right - left, 118, "#b9c0c5")
    canvas.rect(left, 193, right - left, 8, "#3a4045")
    canvas.rect(left + 15, 236, right - left - 30, 62, "#2b3034", 'rx="4"')
    canvas.rect(left + 15, 225, right - left - 30, 4, "#7a848b")
    for i in range(5):
        canvas.ellipse(left + 20 + i * 22, 213, 5, 5, "#2f3438")
    canvas.polygon([(left, 102), (right, 102), (right - 31, 56), (left + 31, 56)], "#a9b2b8")
    canvas.rect(left + 41, 0, right - left - 82, 56, "#c3cbd0")


def living_room(canvas: Canvas) -> None:
    """Paint a papered wall with a window, floorboards and a rug."""
    brush.wall(canvas, 287, ("#e9dcc3", "#dccaa8"), pattern="stripe")
    brush.floor(canvas, 292, _WOOD)
    _window(canvas, canvas.uniform(40, 330), 46)
    canvas.ellipse(256, 424, 206, 64, "#a34a4a")
    canvas.ellipse(256, 424, 190, 57, "none", 'stroke="#e8cf9a" stroke-width="4"')
    canvas.ellipse(256, 424, 154, 44, "none", 'stroke="#e8cf9a" stroke-width="2"')
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
    for i in range(28):
        if not 6 <= i <= 20:
            canvas.rect(i * 18.3, 0, 18.8, 336, "#a8202f" if i % 2 else "#86182a")
    for i in range(28):
        canvas.ellipse(i * 18.3 + 9, 18, 13, 46, "#b92636" if i % 2 else "#93192b")
    brush.ground(canvas, 318, ("#9a6a3c", "#8a5a30", "#7a4d28"), word="stage", patches=10)
    canvas.lines([[(256 + i * 22, 318), (256 + i * 80, SIZE)] for i in range(-16, 17)], "#4d2f16", 1.6, 0.6)
    for x, lean in ((190, 40), (322, -40)):
        canvas.polygon(
            [(x - 10, 0), (x + 10, 0), (x + lean + 95, SIZE), (x + lean - 95, SIZE)], "#fff1c4", 'fill-opacity="0.16"'
        )
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

"""The brand and the operator's settings as CSS."""

from __future__ import annotations

import livery

from viewmodel import ViewModel

SIZES = {"small": 85, "normal": 100, "large": 140}


def css(model: ViewModel) -> str:
  font = model.font.format("rgb")
  lists, details = model.gradient("listBackground"), model.gradient("detailBackground")
  animation = "animation: turn 1.6s linear infinite;" if model.animates else ""
  return f"""
    {_pane("list-pane", lists, font)}
    {_pane("detail-pane", details, font)}
    .list-pane row {{ border-radius: 8px; margin: 0 6px; }}
    .list-pane row:selected {{ background: alpha({font}, 0.18); }}
    .list-pane entry, .list-pane text {{ color: {font}; }}
    .detail-pane .card {{ background: alpha({font}, 0.08); color: {font}; }}
    .read {{ font-size: {SIZES.get(model.text_size, 100)}%; }}
    .read .title-1 {{ font-size: 170%; }}
    .loading {{ {animation} }}
    @keyframes turn {{ to {{ transform: rotate(360deg); }} }}
  """


def _pane(name: str, ends: livery.Gradient, font: str) -> str:
  dark, light = (end.format("rgb") for end in ends)
  return f"""
    .{name} {{ background: linear-gradient(to bottom, {dark}, {light}); color: {font}; }}
    .{name} headerbar {{ background: {dark}; color: {font}; box-shadow: none; border: none; }}
    .{name} listview, .{name} scrolledwindow, .{name} viewport {{ background: transparent; color: {font}; }}
  """


def prefers_dark(model: ViewModel) -> bool:
  """Whether what the brand does not color, such as menus, has to be dark to go with its text."""
  black = livery.Color(0, 0, 0, 1)
  return model.font.contrast(black) > model.font.contrast(livery.Color(1, 1, 1, 1))

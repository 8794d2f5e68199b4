"""How many of the QR codes of enrollments are read, rotated, from the side, blurred and noisy.

    measure.py PROGRAM [--codes N] [--seed N] [--worse X]   at the level that enrollments have; fails below 99 % or with one misread
    measure.py PROGRAM --levels                             at each level, for photographs that get worse and smaller
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import zbar


def measure(program, count, seed, worse, level=None, size=None):
    """How many were read, how many were read wrong, and the modules along a side of the largest."""
    chance = zbar.seeded(seed)
    texts = [zbar.code(chance, chance.choice((150, 180, 210, 250))) for _ in range(count)]
    read = wrong = side = 0
    for text, drawing in zip(texts, zbar.draw(program, texts, level)):
        found = zbar.read(zbar.photograph(drawing, chance, worse, size))
        read += text in found
        wrong += any(other != text for other in found)
        side = max(side, drawing.side)
    return read, wrong, side


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--codes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worse", type=float, default=1.0)
    parser.add_argument("--levels", action="store_true")
    options = parser.parse_args()
    if options.levels:
        for worse in (1.0, 1.5):
            for size in (180, 240, 300, 360):
                parts = []
                for level, name in enumerate(("low", "medium", "quartile", "high")):
                    read, wrong, _ = measure(options.program, options.codes, options.seed, worse, level, size)
                    parts.append(f"{name} {read}" + (f" ({wrong} wrong)" if wrong else ""))
                print(f"{worse} times as bad, {size} pixels, of {options.codes}: {', '.join(parts)}", flush=True)
        return 0
    read, wrong, side = measure(options.program, options.codes, options.seed, options.worse)
    print(f"seed {options.seed}: {read} of {options.codes} read, {wrong} wrong; up to {side} modules along a side")
    return 0 if wrong == 0 and read >= 0.99 * options.codes else 1


if __name__ == "__main__":
    sys.exit(main())

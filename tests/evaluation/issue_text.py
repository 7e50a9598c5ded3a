"""Queries of the length of an issue: the query as the title, and a body of irrelevant text.

The body contains no information about the searched code. It is sampled from the lists below, and from the README of the same
repository, which has its vocabulary. A robust ranker finds as much with the body as without it.
"""

from __future__ import annotations

import pathlib
import random
import re

# Length of an issue text, in characters.
SHORTEST, LONGEST = 2_000, 4_000

# Number of README sentences in one text.
N_README_SENTENCES = 4

PROSE = """
We ran into this after the upgrade last week and it took us a while to see what was going on.
At first I thought that the fault was on our side, but a colleague sees the same on another machine.
It does not happen every time, maybe once in ten runs, and more often when the machine is busy.
I searched the tracker and found two reports that look similar, but both were closed without an answer.
The documentation reads as if this should just work, so either the text or the behaviour is wrong.
Going back to the previous release makes the problem go away for us.
I am not sure whether this is a bug or whether I am holding it wrong; please tell me if there is a better way.
Our project is rather large, and I have not yet managed to cut it down to something that I can share.
In the meantime we work around it, but the workaround is ugly and nobody here likes it.
What I would expect is that nothing changes for users who never touched the setting.
A maintainer asked in chat that I open an issue, so here it is.
Happy to send a patch if somebody points me to the right place.
We noticed it in production first, where it woke somebody up in the middle of the night.
The same thing happens in a container and on a laptop, so the platform does not seem to matter.
I attached what I could; some names have been changed because the project is not public.
Other people on the team say that they have seen this for months and never reported it.
Nothing else was changed that day as far as we know, and the lock file says so as well.
This used to be fine a year ago, but I cannot say exactly since when it is not.
Please excuse the long text, I wanted to write down everything that might matter.
It would already help a lot if the message said what is wrong instead of how it failed.
""".strip().splitlines()

STEPS = """
Create an empty folder and copy the attached files into it.
Install everything from a clean cache.
Start it the usual way and wait until it has settled.
Do the same thing a second time without restarting.
Change one line, save, and look at the output again.
Leave it alone for some minutes.
Compare the two outputs; they should be the same and are not.
Repeat with the older release to see the difference.
""".strip().splitlines()

ENVIRONMENT = [
    ("Operating system", ["Ubuntu 22.04", "Debian 12", "macOS 14.5 (arm64)", "Windows 11 23H2", "Fedora 40", "Alpine 3.19"]),
    ("Kernel", ["6.5.0-41-generic", "6.1.0-21-amd64", "23.5.0", "5.15.153.1", "6.8.11-300.fc40"]),
    ("Version", ["latest release", "the one before the latest", "built from the main branch yesterday"]),
    ("Installed by", ["package manager", "from source", "the image of our platform team", "lock file"]),
    ("Shell", ["bash 5.2", "zsh 5.9", "fish 3.7", "PowerShell 7.4"]),
    ("Locale", ["en_US.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8", "C"]),
    ("Memory", ["8 GB", "16 GB", "64 GB"]),
    ("Processors", ["2", "4", "10", "32"]),
    ("Behind a proxy", ["yes", "no"]),
]

# Names of a fictitious application that shows the fault.
MODULES = ["billing", "warehouse", "shipments", "ledger", "frontdesk", "reminders", "catalogue", "payroll", "kiosk", "booking"]
VERBS = ["collect", "refresh", "submit", "reconcile", "prepare", "dispatch", "tidy", "announce", "recount", "hand_over"]
NOUNS = ["invoices", "pallets", "couriers", "vouchers", "rosters", "tickets", "receipts", "shelves", "guests", "wages"]
MISHAPS = ["unexpected value", "giving up after 3 tries", "state was already closed", "nothing left to do", "operation refused"]
REMARKS = ["cycle finished", "picked up a change", "slower than usual", "nothing new", "retrying soon", "took the long way"]


def of(query: str, seed: str, readme: list[str]) -> str:
    """Returns an issue text, which is deterministic by seed."""
    draw = random.Random(f"issue {seed}")
    wanted = draw.randint(SHORTEST + 300, LONGEST - 600)
    parts = [
        query,
        " ".join(draw.sample(PROSE, 4)),
        "### Steps\n\n" + numbered(draw.sample(STEPS, 4)),
        "### Environment\n\n" + environment(draw),
        "### What is printed\n\n```\n" + trace(draw) + "\n```",
        "```\n" + log(draw, 6) + "\n```",
    ]
    if readme:
        quoted = draw.sample(readme, min(N_README_SENTENCES, len(readme)))
        parts.append("From the README: " + " ".join(quoted))
    left = [line for line in PROSE if line not in parts[1]]
    draw.shuffle(left)
    while (short := wanted - len("\n\n".join(parts))) > 0:
        # The supply of prose is limited; logs fill the rest.
        parts.append(left.pop() if left and draw.random() < 0.7 else "```\n" + log(draw, 2 + short // 300) + "\n```")
    text = "\n\n".join(parts)
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0]


def readme_sentences(tree: pathlib.Path) -> list[str]:
    """Returns the plain-text sentences of a repository's README."""
    texts = [path for path in sorted(tree.iterdir())
             if path.stem.lower() == "readme" and path.suffix.lower() in ("", ".md", ".rst", ".txt")]
    if not texts:
        return []
    text = texts[0].read_text(encoding="utf-8", errors="replace")
    without_code = re.sub(r"```.*?```|<!--.*?-->", " ", text, flags=re.DOTALL)
    paragraphs = re.split(r"\n\s*\n", without_code)
    sentences = [sentence.strip() for paragraph in paragraphs
                 for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split()))]
    plain = [sentence for sentence in sentences
             if 40 <= len(sentence) <= 240 and sentence[0].isupper() and not re.search(r"[<>|\[\]{}]|https?:|::|``", sentence)]
    return list(dict.fromkeys(plain))


def numbered(lines: list[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def environment(draw: random.Random) -> str:
    return "\n".join(f"- {name}: {draw.choice(values)}" for name, values in draw.sample(ENVIRONMENT, 6))


def trace(draw: random.Random) -> str:
    """Returns a stack trace in the style of one of several languages."""
    frames = [(draw.choice(MODULES), draw.choice(VERBS), draw.choice(NOUNS), draw.randint(12, 900)) for _ in range(7)]
    mishap = draw.choice(MISHAPS)
    manner = draw.randrange(4)
    if manner == 0:
        lines = [f'  File "/srv/{module}/{noun}.py", line {line}, in {verb}_{noun}' for module, verb, noun, line in frames]
        return "\n".join(["Traceback (most recent call last):", *lines, f"RuntimeError: {mishap}"])
    if manner == 1:
        lines = [f"\tat com.acme.{module}.{camel(noun)}Desk.{verb.split('_')[0]}{camel(noun)}({camel(noun)}Desk.java:{line})"
                 for module, verb, noun, line in frames]
        return "\n".join([f'Exception in thread "{frames[0][0]}-7" java.lang.IllegalStateException: {mishap}', *lines])
    if manner == 2:
        lines = [f"{module}.{camel(verb)}{camel(noun)}(...)\n\t/srv/{module}/{noun}.go:{line} +0x{line * 7:x}"
                 for module, verb, noun, line in frames]
        return "\n".join([f"panic: {mishap}", "", "goroutine 41 [running]:", *lines])
    lines = [f"    at {verb.split('_')[0]}{camel(noun)} (/srv/{module}/{noun}.js:{line}:{line % 60})"
             for module, verb, noun, line in frames]
    return "\n".join([f"Error: {mishap}", *lines])


def log(draw: random.Random, n: int) -> str:
    day, minute, lines = draw.randint(10, 28), draw.randrange(50), []
    for step in range(n):
        level, module = draw.choice(["INFO", "INFO", "WARN", "DEBUG"]), draw.choice(MODULES)
        doing = f"{draw.choice(VERBS)} {draw.choice(NOUNS)}: {draw.choice(REMARKS)} ({draw.randint(2, 4000)} ms)"
        lines.append(f"2026-03-{day}T09:{minute + step % 10:02}:{draw.randrange(60):02}Z {level} {module}: {doing}")
    return "\n".join(lines)


def camel(words: str) -> str:
    return "".join(word.capitalize() for word in words.split("_"))

"""Work trees of the repositories of the cases: the history up to the commit of the cases, and nothing later.

A clone itself must never be indexed, since later commits contain the answers. A tree borrows the objects of the clone by
`alternates` rather than copying them, and has no reference to later commits.
"""

from __future__ import annotations

import collections
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

from cases import Case

# Version of the layout of trees. A change rebuilds all trees.
LAYOUT = 1


def materialise(cases: list[Case], clones: pathlib.Path, out: pathlib.Path) -> list[pathlib.Path]:
    """Returns the work tree of each repository. Creates those that are missing or have other cases."""
    by_repo: dict[str, list[Case]] = collections.defaultdict(list)
    for case in cases:
        by_repo[case.repo].append(case)
    sources = {repo: clone_of(of_repo, clones) for repo, of_repo in by_repo.items()}
    return [tree_of(of_repo, sources[repo], out) for repo, of_repo in by_repo.items()]


def clone_of(cases: list[Case], clones: pathlib.Path) -> pathlib.Path:
    """Returns the git folder of the clone of these cases."""
    repo, full, commit = cases[0].repo, cases[0].repo_full, cases[0].commit
    for other in cases:
        if (other.repo_full, other.commit) != (full, commit):
            raise SystemExit(f"{repo}: cases `{cases[0].id}` and `{other.id}` have different commits; give their repositories different aliases")
    joined = full.replace("/", "+")
    places = [f"{joined}/repo", joined, f"{full}.git", full]
    for place in places:
        folder = clones / place
        if not folder.is_dir():
            continue
        found = subprocess.run(
            ["git", "-C", folder, "rev-parse", "--path-format=absolute", "--git-common-dir"],
            text=True, capture_output=True, env=git_environment(),
        )
        # A plain folder inside another repository is no clone.
        if found.returncode == 0 and pathlib.Path(found.stdout.strip()) in (folder.resolve(), folder.resolve() / ".git"):
            git_folder = pathlib.Path(found.stdout.strip())
            if git(git_folder, "cat-file", "-t", commit, check=False).strip() != "commit":
                raise SystemExit(f"{folder}: commit {commit} is missing; fetch it")
            return git_folder
    looked = ", ".join(str(clones / place) for place in places)
    raise SystemExit(f"{full}: no clone of it; looked for {looked}. Clone it there (a bare clone will do)")


def tree_of(cases: list[Case], source: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """Returns the work tree of the repository of these cases."""
    tree, stamp = out / cases[0].repo, out / f"{cases[0].repo}.stamp"
    blanks = lines_to_blank(cases)
    expected = stamp_of(cases[0], source, blanks)
    if stamp.exists() and stamp.read_text() == expected and tree.is_dir():
        return tree
    print(f"{cases[0].repo}: tree at {cases[0].commit[:12]}, {len(blanks)} files with lines blanked", flush=True)
    stamp.unlink(missing_ok=True)
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    git(tree, "init", "--quiet", "--initial-branch=main")
    (tree / ".git/objects/info/alternates").write_text(f"{source}/objects\n")
    git(tree, "update-ref", "refs/heads/main", cases[0].commit)
    git(tree, "reset", "--quiet", "--hard")
    if blanks:
        blank(tree, blanks)
    stamp.write_text(expected)
    return tree


def lines_to_blank(cases: list[Case]) -> dict[str, set[int]]:
    blanks: dict[str, set[int]] = collections.defaultdict(set)
    for case in cases:
        for path, first, last in case.blank:
            blanks[path].update(range(first, last + 1))
    return dict(blanks)


def blank(tree: pathlib.Path, blanks: dict[str, set[int]]) -> None:
    """Blanks lines without changing line numbers, in an additional commit with the time of the last one."""
    for path, numbers in blanks.items():
        lines = (tree / path).read_bytes().split(b"\n")
        blanked = [b"" if number in numbers else line for number, line in enumerate(lines, 1)]
        (tree / path).write_bytes(b"\n".join(blanked))
    date = git(tree, "log", "-1", "--format=%cI").strip()
    # A message without information, since messages are searched.
    git(tree, "commit", "--quiet", "--all", "--message", "eval", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)


def stamp_of(case: Case, source: pathlib.Path, blanks: dict[str, set[int]]) -> str:
    lines = sorted((path, sorted(numbers)) for path, numbers in blanks.items())
    text = json.dumps([LAYOUT, case.repo_full, case.commit, str(source), lines])
    return hashlib.sha256(text.encode()).hexdigest()


def git(where: pathlib.Path, *arguments: str, check: bool = True, **environment: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], text=True, capture_output=True, env=git_environment(**environment)
    )
    if check and done.returncode != 0:
        raise SystemExit(f"git {' '.join(arguments)} failed in {where}: {done.stderr.strip()}")
    return done.stdout


def git_environment(**more: str) -> dict[str, str]:
    """Returns an environment in which git behaves the same for all users."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
              for what, value in (("NAME", "eval"), ("EMAIL", "eval@localhost"))}
    return inherited | people | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"} | more

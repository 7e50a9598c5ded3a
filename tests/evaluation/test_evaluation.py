"""Tests of the evaluation, which run before it: `python3 -m unittest discover -s tests/evaluation`."""

import json
import pathlib
import tempfile
import unittest

import cases
import issue_text
import report
import runs
import scores
import trees


def case(**fields) -> cases.Case:
    raw = {"id": "a-1", "kind": "commit", "repo": "a", "repo_full": "acme/a", "commit": "0" * 40, "query": "mend it", "gold_files": ["a.c"]}
    return cases.Case.read(json.dumps(raw | fields))


class Scores(unittest.TestCase):
    def test_of_one_ranking(self):
        for gold, ranked, expected in [
            (("a",), [], {"mrr": 0, "r1": 0, "r5": 0, "r10": 0, "ndcg": 0}),
            (("a",), ["a"], {"mrr": 1, "r1": 1, "r5": 1, "r10": 1, "ndcg": 1}),
            (("a",), ["b", "b", "b", "a"], {"mrr": 1 / 2, "r1": 0, "r5": 1}),
            (("a", "b"), ["a", *"cdefg", "b"], {"mrr": 1, "r1": 1, "r5": 1 / 2, "r10": 1}),
            (("a",), [*"bcdefghijk", "a"], {"mrr": 0, "r10": 0, "ndcg": 0}),
        ]:
            found = scores.of_case(gold, ranked)
            self.assertEqual({name: found[name] for name in expected}, expected, (gold, ranked))

    def test_intervals_are_the_same_in_every_run(self):
        of_cases = [scores.of_case(("a",), list("bcd")[: n % 4] + ["a"]) for n in range(40)]
        first, second = scores.Intervals().means(of_cases), scores.Intervals().means(of_cases)
        self.assertEqual(first, second)
        low, high = first.interval["mrr"]
        self.assertTrue(low < first.mean["mrr"] < high)


class Cases(unittest.TestCase):
    def test_what_is_stripped(self):
        for fields, expected in [({}, "mend it"), ({"query_nosym": None}, None), ({"query_nosym": "mend"}, "mend")]:
            self.assertEqual(case(**fields).stripped, expected)

    def test_a_bad_line_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "cases.jsonl")
            path.write_text('{"id": "x"}\n')
            with self.assertRaisesRegex(SystemExit, "cases.jsonl:1: not a case"):
                cases.read(path)


class Trees(unittest.TestCase):
    def test_history_ends_at_the_commit_and_lines_keep_their_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            clones, out = pathlib.Path(folder, "clones"), pathlib.Path(folder, "out")
            clone = clones / "acme+a"
            clone.mkdir(parents=True)
            out.mkdir()
            trees.git(clone, "init", "--quiet")
            for message in ("first", "answer"):
                (clone / "a.c").write_text(f"// says\n// it\nint {message};\n")
                trees.git(clone, "add", "--all")
                trees.git(clone, "commit", "--quiet", "--message", message)
            commit = trees.git(clone, "rev-parse", "HEAD^").strip()
            asked = [case(commit=commit, blank=[["a.c", 1, 2]])]
            [tree] = trees.materialise(asked, clones, out)
            self.assertEqual((tree / "a.c").read_text(), "\n\nint first;\n")
            self.assertEqual(trees.git(tree, "log", "--format=%s").split(), ["eval", "first"])
            self.assertEqual(trees.git(tree, "rev-list", "--all", "--count").strip(), "2")

            (tree / "kept").touch()
            trees.materialise(asked, clones, out)
            self.assertTrue((tree / "kept").exists(), "a tree of the same cases is kept")
            trees.materialise([case(commit=commit)], clones, out)
            self.assertFalse((tree / "kept").exists(), "a tree of other cases is made anew")

    def test_a_missing_clone_is_named(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(SystemExit, "acme/a: no clone of it"):
            trees.materialise([case()], pathlib.Path(folder), pathlib.Path(folder))


class LongQueries(unittest.TestCase):
    def test_they_are_as_long_as_issues_and_the_same_every_time(self):
        for n in range(200):
            readme = [f"This sentence of a readme is number {place} of all." for place in range(n % 7)]
            text = issue_text.of("mend it", f"a-{n}", readme)
            self.assertTrue(issue_text.SHORTEST <= len(text) <= issue_text.LONGEST, len(text))
            self.assertEqual(text.splitlines()[0], "mend it")
            self.assertEqual(text, issue_text.of("mend it", f"a-{n}", readme))

    def test_code_and_links_of_a_readme_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "Readme.md").write_text(
                "# Name\n\n```\nThis is a longer line of code, it seems, is it not.\n```\n\nIt does what others do, but it does so faster. "
                "Read more about all of that at https://acme.example today.\n")
            sentences = issue_text.readme_sentences(pathlib.Path(folder))
            self.assertEqual(sentences, ["It does what others do, but it does so faster."])


class Answers(unittest.TestCase):
    def test_files_and_symbols_in_order(self):
        answer = {"candidates": [{"repo": "a", "path": "y"}, {"repo": "a", "path": "x"}, {"repo": "b", "path": "y"}],
                  "results": [{"symbol_id": "y::f#2"}, {"symbol_id": None}, {}, {"symbol_id": "x::g"}]}
        self.assertEqual(runs.ranked_files(answer, False), ["y", "x"])
        self.assertEqual(runs.ranked_files(answer, True), ["a::y", "a::x", "b::y"])
        self.assertEqual(runs.ranked_symbols(answer), ["y::f", "x::g"])

    def test_own_names_are_without_containers_and_parameters(self):
        for symbol, expected in [
            ("a.go::Context.Render", "a.go::Render"), ("a.go::Render", "a.go::Render"),
            ("a.rs::Sink<W>.write", "a.rs::write"), ("a.rs::Page<'_, 'a>.turn", "a.rs::turn"),
            ("a.h::std::tuple<A, B> split::by_end", "a.h::by_end"), ("a.h::INLINE pool::next_", "a.h::next_"),
            ("a.cc::operator<", "a.cc::operator"), ("a.cc::<", "a.cc::<"), ("a.py", "a.py::"),
        ]:
            self.assertEqual(runs.own_name(symbol), expected)


class Baselines(unittest.TestCase):
    def run_with(self, ranked: list[str]) -> runs.Run:
        rows = runs.rows({"file": {"commit": [scores.of_case(("a",), ranked)]}}, {"commit": [3.0, 1.0, 2.0]})
        return runs.Run(runs.PARTS[0], rows)

    def test_changes_are_shown_against_the_same_cases_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "baseline.json")
            report.Baseline.read(path).with_runs("cases", [self.run_with(["b", "a"])]).write(path)
            baseline = report.Baseline.read(path)
            better = report.table([self.run_with(["a"])], baseline, "cases")
            self.assertIn("1.000 [1.000,1.000] +0.500", better)
            self.assertIn("1.000 [1.000,1.000]      =", better)
            self.assertIn("baseline has other cases", report.table([self.run_with(["a"])], baseline, "other"))


if __name__ == "__main__":
    unittest.main()

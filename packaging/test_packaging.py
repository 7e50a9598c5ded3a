"""Checks of the package files that need no build. `make deploy-check` runs them."""

from __future__ import annotations

import pathlib
import re
import tempfile
import unittest

import bundle
import first_answer
import names
import npm
import registry
import target
import wheel


class Names(unittest.TestCase):
    def test_pages_show_only_the_packages_of_this_project(self) -> None:
        pages = [names.ROOT / "README.md", *(names.ROOT / "docs").rglob("*.md")]
        for page in pages:
            text = page.read_text()
            for found in re.findall(r"uvx --from ([^\s`]+)", text):
                self.assertTrue(found == names.NAME or found.startswith("./"), f"{page}: {found}")
            for found in re.findall(r"npx (?:--yes |-y )?([^\s`]+)", text):
                self.assertTrue(found == names.NPM_NAME, f"{page}: {found}")
            for found in re.findall(r"(?:pip|pipx|uv tool) install ([^\s`]+)", text):
                self.assertTrue(found == names.NAME or found.endswith(".whl"), f"{page}: {found}")

    def test_launchers_of_setup_start_the_packages(self) -> None:
        text = (names.ROOT / "services/causeway/src/program.rs").read_text()
        self.assertIn(f'&["npx", "-y", "{names.NPM_NAME}"]', text)
        self.assertIn(f'&["uvx", "--from", "{names.NAME}", NAME]', text)

    def test_version_is_that_of_the_workspace(self) -> None:
        self.assertRegex(names.version(), r"^\d+\.\d+\.\d+$")


class Documents(unittest.TestCase):
    def test_every_target_of_the_workflow_is_known(self) -> None:
        workflow = (names.ROOT / ".github/workflows/release.yaml").read_text()
        listed = re.findall(r"target: ([\w-]+),", workflow)
        self.assertEqual(sorted(listed), sorted(one.rust for one in target.TARGETS))

    def test_bundle_starts_its_own_program(self) -> None:
        for one in target.TARGETS:
            server = bundle.manifest(one)["server"]
            self.assertEqual(server["mcp_config"]["command"], "${__dirname}/" + server["entry_point"])

    def test_registry_document_has_the_limits_of_the_registry(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            document = registry.document(pathlib.Path(file.name), "https://example.com")
        self.assertLessEqual(len(document["description"]), 100)
        self.assertRegex(document["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        for package in document["packages"]:
            self.assertLessEqual({"registryType", "identifier", "transport"}, package.keys())

    def test_registry_document_can_be_run_and_verified(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            document = registry.document(pathlib.Path(file.name), names.release_url())
        packages = {package["registryType"]: package for package in document["packages"]}
        # Clients run `uvx IDENTIFIER@VERSION`, which starts the script of this name.
        self.assertEqual(packages["pypi"]["identifier"], names.NAME)
        self.assertNotIn("runtimeArguments", packages["pypi"])
        self.assertTrue(wheel.LAUNCHER.startswith("#!python\n") and f'"{names.PROGRAM}"' in wheel.LAUNCHER)
        self.assertEqual(npm.main_manifest()["mcpName"], document["name"])
        self.assertIn(f"mcp-name: {document['name']}", (names.ROOT / "README.md").read_text())
        self.assertIn(f"/v{names.version()}/", packages["mcpb"]["identifier"])
        self.assertNotRegex(packages["mcpb"]["identifier"], "OWNER|VERSION")

    def test_labels_have_the_glibc_of_the_program(self) -> None:
        gnu, musl = target.by_name("x86_64-unknown-linux-gnu"), target.by_name("x86_64-unknown-linux-musl")
        for needed, label in [((2, 17), "2_28"), ((2, 28), "2_28"), ((2, 34), "2_34"), ((2, 28, 1), "2_28"), ((3, 0), "3_0")]:
            labelled = gnu.needing(needed)
            self.assertEqual(labelled.wheel, f"manylinux_{label}_x86_64", needed)
            self.assertEqual("_".join(map(str, labelled.glibc)), label)
        self.assertEqual(musl.needing((2, 34)), musl)

    def test_platform_packages_differ(self) -> None:
        self.assertEqual(len({npm.platform_name(one) for one in target.TARGETS}), len(target.TARGETS))

    def test_measured_seconds_are_a_table_of_the_page(self) -> None:
        page = f"Text\n\n{first_answer.BEGIN}\nold\n{first_answer.END}\nMore"
        lines = ["wheel|23.4|1.5 s to an answer from a, b", "wheel, as x|23.4|0.3 s to an answer from a, b", "upgrade, new|0|0.8 s to an answer from a, b"]
        written = first_answer.with_table(page, lines)
        self.assertIn("| wheel | `pip install FILE.whl`, `causeway mcp ~/code` | 23.4 | 1.5 |", written)
        self.assertTrue(written.startswith("Text\n") and written.endswith("\nMore"))
        self.assertFalse("old" in written or "as x" in written or "upgrade" in written)
        self.assertEqual(first_answer.with_table(written, lines), written)

    def test_the_page_has_a_row_of_each_package(self) -> None:
        page = (names.ROOT / "docs/install.md").read_text()
        shown = page.split(first_answer.BEGIN, 1)[1].split(first_answer.END, 1)[0]
        for kind in first_answer.COMMANDS:
            self.assertRegex(shown, rf"\| {kind} \|.*\| [\d.]+ \| [\d.]+ \|")


if __name__ == "__main__":
    unittest.main()

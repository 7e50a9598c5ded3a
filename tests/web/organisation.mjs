// Writes an organisation of N repositories into a folder: domains of TypeScript and Python packages that use each other, and a few
// libraries that many use. The same number gives the same files.
//
//     node organisation.mjs FOLDER N
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [folder, count] = [process.argv[2], Number(process.argv[3])];
const DOMAINS = ["orders", "payments", "catalog", "shipping", "identity", "search", "pricing", "returns", "loyalty", "stock", "media", "reports",
  "fraud", "support", "messaging", "billing", "partners", "geo", "tax", "ledger", "audit", "ads", "reviews", "planning", "routing", "claims", "fleet", "content"];
const ROLES = ["api", "client", "model", "worker", "store", "rules", "events", "admin", "sync", "export", "mail", "cache", "import", "metrics", "web"];
const LIBRARIES = ["platform-http", "platform-config", "platform-log", "platform-retry"];
const PER_DOMAIN = Math.min(ROLES.length, Math.max(6, Math.ceil(count / DOMAINS.length)));

// A small generator, so that the same number gives the same links.
let state = 7;
const random = (below) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % below;
const camel = (name) => name.replace(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase());

const names = LIBRARIES.slice(0, Math.min(4, Math.floor(count / 3)));
for (let at = 0; names.length < count; at++) {
  names.push(`${DOMAINS[Math.floor(at / PER_DOMAIN) % DOMAINS.length]}-${ROLES[at % PER_DOMAIN]}`);
}
const isPython = (name) => !name.startsWith("platform") && name.length % 3 === 0;

function usesOf(name, idx) {
  if (name.startsWith("platform")) return [];
  const [domain, role] = [name.split("-")[0], idx];
  const own = names.filter((other, at) => other.startsWith(`${domain}-`) && at < idx && isPython(other) === isPython(name));
  const uses = new Set(own.filter(() => random(3) === 0));
  if (own.length > 0) uses.add(own[random(own.length)]);
  if (!isPython(name)) {
    for (const library of names.slice(0, 4)) if (library.startsWith("platform") && random(3) === 0) uses.add(library);
    const far = names[random(idx)];
    if (random(4) === 0 && !isPython(far)) uses.add(far);
  }
  uses.delete(name);
  return role < 0 ? [] : [...uses];
}

function typescript(name, uses) {
  const imports = uses.map((use) => `import { load${camel(use)}, ${camel(use)}Record } from "@acme/${use}";`).join("\n");
  const calls = uses.map((use) => `  const ${camel(use).toLowerCase()}: ${camel(use)}Record = await load${camel(use)}(id);`).join("\n");
  return {
    "package.json": JSON.stringify({ name: `@acme/${name}`, version: "1.4.0", description: `The ${name.replace("-", " ")} of Acme.`, main: "src/index.ts",
      dependencies: Object.fromEntries(uses.map((use) => [`@acme/${use}`, "^1.2.0"])) }, null, 2),
    "src/index.ts": `${imports}\n\n/** A record of ${name}. */\nexport interface ${camel(name)}Record {\n  id: string;\n  at: Date;\n}\n\n/** Loads a record of ${name}, and what it needs. */\nexport async function load${camel(name)}(id: string): Promise<${camel(name)}Record> {\n${calls}\n  return check${camel(name)}({ id, at: new Date(0) });\n}\n\n/** Checks a record of ${name}. */\nexport function check${camel(name)}(record: ${camel(name)}Record): ${camel(name)}Record {\n  if (record.id.length > 64) {\n    throw new Error("the id is too long");\n  }\n  return record;\n}\n`,
    "src/retry.ts": `/** Calls again with back-off while a call of ${name} fails. */\nexport async function retry<T>(call: () => Promise<T>, attempts = 5): Promise<T> {\n  for (let attempt = 1; ; attempt++) {\n    try {\n      return await call();\n    } catch (error) {\n      if (attempt >= attempts) throw error;\n    }\n  }\n}\n`,
    "test/index.test.ts": `import { check${camel(name)} } from "../src/index";\n\ntest("short ids are valid", () => {\n  expect(check${camel(name)}({ id: "a", at: new Date(0) }).id).toBe("a");\n});\n`,
  };
}

function python(name, uses) {
  const module = (of) => `acme_${of.replaceAll("-", "_")}`;
  const imports = uses.map((use) => `from ${module(use)} import load_${use.replaceAll("-", "_")}`).join("\n");
  const calls = uses.map((use) => `    load_${use.replaceAll("-", "_")}(record_id)`).join("\n");
  return {
    "pyproject.toml": `[project]\nname = "acme-${name}"\nversion = "1.4.0"\ndescription = "The ${name.replace("-", " ")} of Acme."\ndependencies = [${uses.map((use) => `"acme-${use}>=1.2"`).join(", ")}]\n`,
    [`${module(name)}/__init__.py`]: `"""The ${name.replace("-", " ")} of Acme."""\n${imports}\n\n\ndef load_${name.replaceAll("-", "_")}(record_id: str) -> dict:\n    """Loads a record of ${name}."""\n${calls}\n    return {"id": record_id}\n`,
  };
}

names.forEach((name, idx) => {
  const uses = usesOf(name, idx);
  const files = isPython(name) ? python(name, uses) : typescript(name, uses);
  files["README.md"] = `# ${name}\n\nThe ${name.replace("-", " ")} of Acme.\n`;
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const people = ["Ada Byron", "Grace Murray", "Edith Clarke", "Mary Allen"];
  const person = people[idx % people.length];
  const who = { GIT_AUTHOR_NAME: person, GIT_AUTHOR_EMAIL: `${person.split(" ")[0].toLowerCase()}@acme.example`, GIT_AUTHOR_DATE: "1767225600 +0000" };
  const env = { PATH: process.env.PATH, HOME: folder, ...who, GIT_COMMITTER_NAME: person, GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL, GIT_COMMITTER_DATE: who.GIT_AUTHOR_DATE };
  const git = (...args) => execFileSync("git", args, { cwd: join(folder, name), env, stdio: "ignore" });
  git("-c", "init.defaultBranch=main", "init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
});

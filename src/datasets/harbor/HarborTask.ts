/**
 * The texts of a task for Harbor (https://www.harborframework.com/docs/tasks): an instruction, a container with the
 * files at the start, and a test that writes a reward.
 */

/** A task without its files. */
export interface HarborTask {
  /** `organisation/name`. */
  readonly name: string
  readonly instruction: string
  /** One line. */
  readonly description: string
  /** The image that the container begins with. */
  readonly image: string
  /** A shell command that ends with 0 if the work is done. */
  readonly test: string
  /** Where the task comes from, for people. */
  readonly from: Readonly<Record<string, string | number>>
  /** Files to delete before the solution's files are written; undefined without a solution. */
  readonly deleted?: ReadonlyArray<string>
}

/** The folder of the start's files, next to the Dockerfile. */
export const START = "environment/workspace"

/** The folder of the solution's files. */
export const SOLUTION = "solution/files"

/** The working directory in the container. */
const WORKDIR = "/app"

/** A file with its text and whether it is a program. */
export interface TextFile {
  readonly path: string
  readonly text: string
  readonly isProgram?: true
}

/** The files of a task, apart from those of the workspace. */
export const files = (task: HarborTask): ReadonlyArray<TextFile> => [
  { path: "instruction.md", text: `${task.instruction.toWellFormed().trim()}\n` },
  { path: "task.toml", text: toml(task) },
  {
    path: "environment/Dockerfile",
    text: `FROM ${task.image}\nWORKDIR ${WORKDIR}\nCOPY workspace/ ${WORKDIR}/\n`,
  },
  { path: "tests/command.sh", text: `${task.test.toWellFormed()}\n` },
  { path: "tests/test.sh", text: TEST, isProgram: true },
  ...(task.deleted === undefined
    ? []
    : [{ path: "solution/solve.sh", text: solve(task.deleted), isProgram: true as const }]),
]

/** Harbor runs it after the agent. The reward is 1 if the command ends with 0, and 0 otherwise. */
const TEST = `#!/bin/bash
mkdir -p /logs/verifier
cd ${WORKDIR} || { echo 0 > /logs/verifier/reward.txt; exit 0; }
if bash /tests/command.sh; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
`

const solve = (deleted: ReadonlyArray<string>): string =>
  [
    "#!/bin/bash",
    "set -e",
    `cd ${WORKDIR}`,
    ...deleted.map((file) => `rm -f -- ${quoted(`./${file}`)}`),
    `cp -a /solution/files/. ${WORKDIR}/`,
    "",
  ].join("\n")

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const toml = ({ name, description, from }: HarborTask): string =>
  [
    'schema_version = "1.1"',
    "",
    "[task]",
    `name = ${tomlText(name)}`,
    `description = ${tomlText(description)}`,
    'keywords = ["regression", "recorded"]',
    "",
    "[metadata]",
    ...Object.entries(from).map(([key, value]) => `${key} = ${typeof value === "number" ? value : tomlText(value)}`),
    "",
    "[verifier]",
    "timeout_sec = 600.0",
    "",
    "[agent]",
    "timeout_sec = 1800.0",
    "",
    "[environment]",
    "build_timeout_sec = 600.0",
    "",
  ].join("\n")

/** A basic string of TOML: that of JSON, in which DEL is escaped, too. */
const tomlText = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007F")

/** A name that Harbor takes. Harbor allows letters, digits, `-`, `_` and single dots; this one has no dots. */
export const nameFrom = (text: string): string => {
  const name = text
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, 60)
  return name === "" ? "task" : name
}

/** Whether a text is an image's name: it stands in a Dockerfile, whose lines are commands. */
export const isImage = (text: string): boolean => /^[a-z0-9][a-zA-Z0-9._/:@-]{0,255}$/.test(text)

/**
 * The command `hindcast plugin new`: creates a plugin's directory from the template, the manifest of an environment that
 * is written in Python, or the plugin of an OpenEnv server's environment.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { isPluginName } from "../../plugins/manifest/Manifest.ts"
import * as Consent from "../../plugins/sandbox/Consent.ts"
import { report } from "../../plugins/sandbox/SandboxReport.ts"
import { BadInput } from "../command/BadInput.ts"
import { command, shortest } from "../command/CommandHints.ts"
import { argument, json, optionalText } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import { inPackage } from "../command/PackageFiles.ts"
import { checkEmpty, installed } from "../init/NewDirectory.ts"
import * as OpenEnvManifest from "./OpenEnvManifest.ts"
import * as PythonManifest from "./PythonManifest.ts"

const directory = argument("dir", "A directory that is new or empty")
const name = optionalText("name", "The plugin's name. Default: the directory's")
const pythonClass = optionalText(
  "python",
  "An environment written in Python, as module:Class: writes its manifest into the directory, which may have files",
)
const classArguments = optionalText("arguments", "With --python: arguments of the class, a JSON object")
const openenv = optionalText("openenv", "The address of an OpenEnv server: writes a plugin of its environment")

const options = { json, directory, name, python: pythonClass, arguments: classArguments, openenv }

export const create = Command.make("new", options, ({ json, directory, name: wanted, python, openenv, ...typed }) =>
  Effect.gen(function* () {
    const target = path.resolve(directory)
    const name = Option.getOrElse(wanted, () => path.basename(target))
    if (!isPluginName(name)) {
      const expected =
        "a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit, of at most 64 characters; give one with --name"
      return yield* new BadInput({ input: Option.isSome(wanted) ? "--name" : "dir", expected, found: `"${name}"` })
    }
    const given = typed.arguments
    const isPython = Option.isSome(python)
    if (isPython && Option.isSome(openenv)) {
      return yield* new BadInput({ input: "--openenv", expected: "it without --python", found: "both" })
    }
    if (Option.isSome(given) && !isPython) {
      return yield* new BadInput({ input: "--arguments", expected: "it only with --python", found: "no --python" })
    }
    const plugin = { directory: target, name, schema: schemaFor(target) }
    const server = Option.isSome(openenv) ? yield* OpenEnvManifest.write({ ...plugin, url: openenv.value }) : undefined
    const files =
      server?.files ??
      (isPython
        ? [yield* PythonManifest.write({ ...plugin, entry: python.value, arguments: Option.getOrUndefined(given) })]
        : yield* Effect.zipRight(
            checkEmpty(target),
            Effect.sync(() => write(target, name)),
          ))
    const hasTest = !isPython && server === undefined
    const isInstalled = !hasTest || fs.existsSync(installed(target) ?? "")
    const { layer } = yield* report("auto")
    const needsConsent = layer !== null && Consent.isNeeded(layer, isPython ? "python" : undefined)
    const grants = server === undefined ? [] : ["--grant-net", server.host]
    const add = ["plugin", "add", shortest(target), ...grants, ...(needsConsent ? ["--sandbox", "flags"] : [])]
    const notes = server === undefined ? {} : { notes: server.notes }
    yield* Output.show(json, { name, directory: target, files, installed: isInstalled, ...notes }, (style) => [
      `${style.name(name)} in ${shortest(target)}: ${files.join(", ")}`,
      ...(isInstalled
        ? []
        : [
            style.warn(
              "The test needs hindcast, which is not installed there: run `npm install PATH-TO-THE-CLONE` in that directory or above it.",
            ),
          ]),
      ...(server?.notes ?? []).map((note) => style.warn(note)),
      style.dim("Then:"),
      `  ${command(["plugin", "check", shortest(target)])}`,
      ...(!hasTest ? [] : [`  node --test ${shortest(path.join(target, "plugin.test.mjs"))}`]),
      `  ${command(add)}`,
      ...(needsConsent ? [style.dim(isPython ? PYTHON_CONSENT_NOTE : CONSENT_NOTE)] : []),
    ])
  }),
).pipe(Command.withDescription("Create a plugin of your own: a working manifest, entry and test"))

const CONSENT_NOTE =
  "`--sandbox flags` consents to running it here, where only Deno's permissions confine it. The consent is recorded for this version."

const PYTHON_CONSENT_NOTE =
  "`--sandbox flags` consents to running it here, where Python code has no confinement of its own. The consent is recorded for this version."

const TEMPLATE = "my-plugin"

const write = (target: string, name: string): ReadonlyArray<string> => {
  const template = inPackage("template", "plugin")
  const files = fs.readdirSync(template).sort()
  fs.mkdirSync(target, { recursive: true })
  for (const file of files) {
    const text = fs.readFileSync(path.join(template, file), "utf8")
    const named = text.replaceAll(TEMPLATE, name).replace(/(?<="\$schema": ")[^"]*/, schemaFor(target))
    fs.writeFileSync(path.join(target, file), named, { flag: "wx" })
  }
  return files
}

/**
 * The URL or relative path of the manifest's JSON Schema, in the package installed at the directory, else in this
 * package.
 */
const schemaFor = (target: string): string => {
  const schema = path.join("schema", "looper-plugin.schema.json")
  const packageDirectory = installed(target)
  if (packageDirectory === undefined) return pathToFileURL(inPackage(schema)).href
  return path.relative(target, path.join(packageDirectory, schema)).split(path.sep).join("/")
}

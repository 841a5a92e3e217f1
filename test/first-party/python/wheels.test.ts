import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../src/plugins/process/PluginHost.ts"
import { type Executed, session } from "./session.ts"

const provide = Effect.provide(layer)

/** Code that makes a wheel in the session, and answers with it in base64. */
const building = (name: string, version: string, source: string, requires: ReadonlyArray<string> = []) => {
  const metadata = [`Name: ${name}`, `Version: ${version}`, ...requires.map((line) => `Requires-Dist: ${line}`)]
  return `import base64, io, zipfile
content = io.BytesIO()
with zipfile.ZipFile(content, 'w') as wheel:
  wheel.writestr('${name}.py', ${JSON.stringify(source)})
  wheel.writestr('${name}-${version}.dist-info/METADATA', ${JSON.stringify(`Metadata-Version: 2.1\n${metadata.join("\n")}\n`)})
base64.b64encode(content.getvalue()).decode()`
}

/** A session whose workspace has wheels, that may read them or not. */
const withWheels = (readsWorkspace: boolean) =>
  Effect.gen(function* () {
    const made = yield* session({ readsWorkspace })
    const wheels = path.join(made.workspace, "wheels")
    fs.mkdirSync(wheels)
    const write = (file: string, { result }: Executed) =>
      fs.writeFileSync(path.join(wheels, file), Buffer.from(String(result), "base64"))
    const outer = building("outer", "1.0", "import inner\nvalue = inner.value + 1", [
      "Inner >=0.5",
      "absent; extra == 'all'",
      "absent; sys_platform == 'win32'",
    ])
    write("outer-1.0-py3-none-any.whl", yield* made.execute(outer))
    write("inner-2.0-py2.py3-none-any.whl", yield* made.execute(building("inner", "2.0", "value = 41")))
    write("needy-1.0-py3-none-any.whl", yield* made.execute(building("needy", "1.0", "", ["absent"])))
    write("native-1.0-cp314-cp314-manylinux_2_17_x86_64.whl", yield* made.execute(building("native", "1.0", "")))
    fs.writeFileSync(path.join(wheels, "broken-1.0-py3-none-any.whl"), "not a zip")
    return made
  })

describe("wheels", () => {
  it.scopedLive("are installed from a directory that may be read, with what they require", () =>
    Effect.gen(function* () {
      const { execute } = yield* withWheels(true)
      const first = yield* execute("import outer; outer.value", { dependencies: ["Outer==1.0"] })
      expect(first).toMatchObject({ result: 42, installed: ["outer==1.0", "inner==2.0"] })
      const again = yield* execute("outer.value", { dependencies: ["outer", "inner"] })
      expect(again).toMatchObject({ result: 42, installed: [] })
    }).pipe(provide),
  )

  it.scopedLive("are refused where they are not there, do not fit or are broken; then nothing runs", () =>
    Effect.gen(function* () {
      const { execute, refused } = yield* withWheels(true)
      const cases = {
        absent: "no-wheel",
        "outer==2.0": "no-wheel",
        needy: "no-wheel",
        native: "no-wheel",
        broken: "bad-wheel",
        "outer>=1.0": "bad-dependency",
        "../outer": "bad-dependency",
        "http://example.org/outer.whl": "bad-dependency",
      }
      for (const [dependency, code] of Object.entries(cases)) {
        const failure = yield* refused("execute", { code: "ran = 1", dependencies: [dependency] })
        expect({ dependency, failure }).toMatchObject({ dependency, failure: { _tag: "CallFailed", error: { code } } })
      }
      expect((yield* execute("'ran' in globals()")).result).toBe(false)
    }).pipe(provide),
  )

  it.scopedLive("are not found in a workspace that may not be read", () =>
    Effect.gen(function* () {
      const { refused } = yield* withWheels(false)
      expect(yield* refused("execute", { code: "1", dependencies: ["outer"] })).toMatchObject({
        error: { code: "no-wheel", message: expect.stringContaining("found none. Nothing is fetched: do without it") },
      })
    }).pipe(provide),
  )
})

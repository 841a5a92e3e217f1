/** The temporary directories of a plugin under test. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"

/** Contents of text files, by path in the workspace. */
export interface Files {
  readonly [path: string]: string
}

/** Directories of a plugin under test: absolute, real paths. */
export interface Directories {
  readonly workspace: string
  readonly denoDir: string
}

/** Removes temporary directories when the scope closes. */
export const makeDirectories = (workspace: string | Files = {}): Effect.Effect<Directories, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const base = yield* Effect.acquireRelease(
      Effect.tryPromise(async () => fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), "hindcast-testing-")))),
      (base) => Effect.promise(() => fs.rm(base, { recursive: true, force: true })),
    )
    const denoDir = path.join(base, "deno")
    if (typeof workspace === "string") {
      return { workspace: yield* Effect.tryPromise(() => fs.realpath(workspace)), denoDir }
    }
    const made = path.join(base, "workspace")
    yield* Effect.tryPromise(() => write(made, workspace))
    return { workspace: made, denoDir }
  })

const write = async (directory: string, files: Files): Promise<void> => {
  await fs.mkdir(directory)
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name)
    await fs.mkdir(path.dirname(file), { recursive: true })
    await fs.writeFile(file, content)
  }
}

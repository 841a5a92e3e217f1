/** The option `--studio` of reports: the Studio page that their links lead to. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option } from "effect"
import type { StudioLinks } from "../../html/StudioLinks.ts"
import * as SharedAnswers from "../../studio/shared/SharedAnswers.ts"
import * as SharedFile from "../../studio/shared/SharedFile.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText } from "../command/CommonOptions.ts"

export const studio = optionalText(
  "studio",
  "A page of `hindcast export studio`: the report's tasks and positions link to it",
)

interface Report {
  readonly output: string
  readonly timeline: string
}

/** The links to the named page, if one is named. They are relative, so that both files can move together. */
export const linksTo = (
  typed: Option.Option<string>,
  { output, timeline }: Report,
): Effect.Effect<{ readonly studio?: StudioLinks }, BadInput> =>
  Effect.suspend(() => {
    if (Option.isNone(typed)) return Effect.succeed({})
    const page = contentOf(typed.value)
    if (page.html === undefined) {
      const expected = "a page that `hindcast export studio` wrote"
      const missing = !fs.existsSync(typed.value)
      return new BadInput({ input: `--studio ${typed.value}`, expected, found: page.found, missing })
    }
    const ends = new Map<string, number | undefined>()
    // A report asks for each of its events, and a page may be long.
    const endOf = (task: string) => {
      if (!ends.has(task)) ends.set(task, SharedFile.endOf(page.html, { timeline, task }))
      return ends.get(task)
    }
    const directory = output === "-" ? "." : path.dirname(output)
    const relative = path.relative(path.resolve(directory), path.resolve(typed.value))
    return Effect.succeed({
      studio: {
        page: relative.split(path.sep).map(encodeURIComponent).join("/"),
        timeline,
        endOf,
      },
    })
  })

/** Apart from its recorded answers, a page takes less than a megabyte. */
const MOST_BYTES = SharedAnswers.MAX_BYTES + 1_000_000

const contentOf = (file: string): { readonly html: string } | { readonly html?: never; readonly found: string } => {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return { found: "no file" }
    if (!stat.isFile() || stat.size > MOST_BYTES) return { found: "something else" }
    const html = fs.readFileSync(file, "utf8")
    return SharedFile.isShared(html) ? { html } : { found: "something else" }
  } catch (cause) {
    return { found: cause instanceof Error ? cause.message : String(cause) }
  }
}

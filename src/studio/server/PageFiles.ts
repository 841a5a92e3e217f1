/** Serves the page's files at every path outside the API. They contain nothing from the log. */

import * as fs from "node:fs/promises"
import type { ServerResponse } from "node:http"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** Where the page's build puts its files. Undefined in a CommonJS bundle, which does not know its own location. */
export const directory = (): string | undefined => {
  const module: string | undefined = import.meta.url
  return module === undefined ? undefined : fileURLToPath(new URL("../page", module))
}

/** The files by name. Every other path is an address within the page. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["index.html", "text/html; charset=utf-8"],
  ["studio.js", "text/javascript; charset=utf-8"],
  ["studio.css", "text/css; charset=utf-8"],
])

/** Modules that the page loads on demand, as its build names them. */
const PART = /^part-[\w-]+\.js$/

const typeOf = (name: string): string | undefined => TYPES.get(PART.test(name) ? "studio.js" : name)

/** @param frames the origins of the frames in which plugins draw. The page shows no other frames */
const policy = (frames: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
    ...(frames.length === 0 ? [] : [`frame-src ${frames.join(" ")}`]),
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
  ].join("; ")

/** Headers of every answer, of the page and of the API: no storage, no framing, no referrer. */
export const headers = (frames: ReadonlyArray<string>): ReadonlyArray<readonly [name: string, value: string]> => [
  ["content-security-policy", policy(frames)],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
]

/**
 * Serves a path's file, or the page itself, which interprets its addresses. A top-level name with a dot that is not one
 * of the files, such as `/favicon.ico`, is not found. Deeper names may have dots: they name a task, a path or a file.
 *
 * @param isShared whether the page begins with an account (`data-team`) and not with a token
 */
export const serve = (
  response: ServerResponse,
  pathname: string,
  files = directory(),
  isShared = false,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const asked = pathname.slice(1)
    const name = typeOf(asked) === undefined ? "index.html" : asked
    const type = typeOf(name) ?? ""
    if (name !== asked && path.posix.extname(asked) !== "" && !asked.includes("/")) {
      return answer(response, 404, "text/plain; charset=utf-8", "There is no such file.")
    }
    const file = yield* Effect.option(Effect.tryPromise(() => fs.readFile(path.join(files ?? "", name))))
    if (file._tag === "Some") {
      const isMarked = isShared && name === "index.html"
      return answer(response, 200, type, isMarked ? marked(file.value.toString("utf8")) : file.value)
    }
    // A tab may be older than the server.
    if (PART.test(name)) return answer(response, 404, "text/plain; charset=utf-8", "There is no such file.")
    answer(response, 503, "text/plain; charset=utf-8", NOT_BUILT)
  })

/** Tells the page that people sign in here and choose a log. */
const marked = (html: string): string => html.replace("<body>", "<body data-team>")

const NOT_BUILT =
  "Studio's page was not built: expected its files beside the server, found none. `npm run build` creates them. The API is available."

const answer = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, { "content-type": type })
  response.end(body)
}

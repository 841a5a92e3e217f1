/** Methods about the recorded files of sessions. Moments name their timeline, as in `fork-1@412`. */
import { Effect, Layer, Schema } from "effect"
import { defined } from "../../../values/defined.ts"
import type { RecordedFile } from "../../../workspace/questions/FileContent.ts"
import { Files, layer as filesLayer } from "../../../workspace/questions/Files.ts"
import type { Past } from "../Logs.ts"
import * as Method from "../Method.ts"

const { optional } = Method
const moment = Schema.Union(Schema.Number, Schema.String)

const from = { task: optional(Schema.String), directory: optional(Schema.String) }
const at = { ...from, at: optional(moment) }
const path = { path: Schema.String }

const question = <Fields extends Schema.Struct.Fields, E>(
  name: string,
  params: Fields,
  ask: (files: Files.Service, params: Schema.Struct.Type<Fields>) => Effect.Effect<unknown, E>,
): Method.Method =>
  Method.make(
    name,
    Schema.Struct({ log: Schema.Number, ...params }) as unknown as Schema.Schema<
      Schema.Struct.Type<Fields> & { readonly log: number }
    >,
    (given, { logs }) =>
      Effect.flatMap(logs.find(given.log), ({ past }) => {
        const { log: _, ...own } = given
        return Effect.flatMap(Files, (files) => ask(files, own as unknown as Schema.Struct.Type<Fields>)).pipe(
          Effect.provide(Layer.provide(filesLayer, Layer.succeedContext<Past>(past))),
        )
      }),
  )

const list = question("files.list", at, (files, options) => files.list(defined(options)))

const read = question("files.read", { ...at, ...path }, (files, { path, ...options }) =>
  Effect.map(files.read(path, defined(options)), ({ content, ...file }) => ({ ...file, content: written(content) })),
)

/** Bytes as text, else as base64. */
const written = (content: RecordedFile["content"]) => {
  switch (content.kind) {
    case "text":
      return { kind: content.kind, text: content.text }
    case "binary":
      return { kind: content.kind, base64: Buffer.from(content.bytes).toString("base64") }
    case "unknown":
      return content
  }
}

const diff = question(
  "files.diff",
  { ...from, from: moment, to: moment, file: optional(Schema.String), stat: optional(Schema.Boolean) },
  (files, { from: a, to: b, ...options }) => files.diff(a, b, defined(options)),
)

const history = question(
  "files.history",
  { ...at, ...path, limit: optional(Schema.Number) },
  (files, { path, ...options }) => files.history(path, defined(options)),
)

const blame = question(
  "files.blame",
  {
    ...at,
    ...path,
    content: optional(Schema.String),
    first: optional(Schema.Number),
    last: optional(Schema.Number),
    read: optional(Schema.Boolean),
  },
  (files, { path, ...options }) => files.blame(path, defined(options)),
)

const why = question("files.why", { ...at, ...path, line: optional(Schema.Number) }, (files, { path, ...options }) =>
  files.why(path, defined(options)),
)

/** Writes into an empty directory, or one that it makes. */
const restore = question("files.restore", { ...from, at: moment, into: Schema.String }, (files, given) => {
  const { at, into, ...options } = given
  return files.restore(at, into, defined(options))
})

export const METHODS: ReadonlyArray<Method.Method> = [list, read, diff, history, blame, why, restore]

/** The schema of a mapping file: YAML that defines how custom JSON Lines become runs. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"

/** A JSON Pointer (RFC 6901) into the record, or a CEL expression over `record`. */
const Value = Schema.Union(
  Schema.String.pipe(
    Schema.pattern(/^(?:\/(?:[^~/]|~[01])*)+$/),
    Schema.annotations({ description: 'a JSON Pointer into the record, such as "/message/text"' }),
  ),
  Schema.Struct({ cel: Options.Text }).annotations({ description: "{ cel: an expression over record }" }),
).annotations({
  identifier: "Value",
  description: 'a JSON Pointer into the record, such as "/message/text", or { cel: an expression over record }',
})

export type Value = typeof Value.Type

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const when = optional(
  Options.Text.annotations({
    description: "An expression in CEL over record: whether this is the record's meaning. Default: of all that is left",
  }),
)

/** Calls inside an answer: a list, and the values of each item. */
const Calls = Schema.Struct({ in: Value, id: Value, tool: Value, args: optional(Value) }).annotations({
  description: "the list of an answer's calls, and the id, tool and arguments of each",
})

const meaning = <Fields extends Schema.Struct.Fields>(is: string, description: string, fields: Fields) =>
  Schema.Struct({ is: Schema.Literal(is), when, ...fields }).annotations({ description })

/** The meaning of a record; the first whose `when` is true applies. */
export const Meaning = Schema.Union(
  meaning("said", "Somebody said something to the agent. The first is the run's goal, where none is named", {
    content: Value,
    source: optional(Value),
  }),
  meaning("guided", "The agent received its instructions", { content: Value }),
  meaning("answer", "A model answered", {
    text: optional(Value),
    reasoning: optional(Value),
    calls: optional(Calls),
    provider: optional(Value),
    model: optional(Value),
    inputTokens: optional(Value),
    outputTokens: optional(Value),
    cachedTokens: optional(Value),
    cacheWriteTokens: optional(Value),
    askedAt: optional(Value),
  }),
  meaning("call", "A tool was called", { tool: Value, id: optional(Value), args: optional(Value) }),
  meaning("result", "A call has its result", {
    id: optional(Value),
    content: optional(Value),
    failed: optional(Value),
  }),
  meaning("denied", "A person refused a call", { id: optional(Value), reason: optional(Value) }),
  meaning("file", "A file now has this content; null if it was deleted", { path: Value, content: Value }),
  meaning("state", "The environment's state is this document now", { state: Value }),
  meaning("score", "Somebody scored the run", {
    name: Value,
    value: Value,
    scorer: optional(Value),
    rationale: optional(Value),
  }),
  meaning("end", "The run ended", { outcome: Value, reason: optional(Value) }),
  meaning("kept", "The record is kept as it is", {}),
  meaning("nothing", "The record is left out", {}),
).annotations({ identifier: "Meaning" })

export type Meaning = typeof Meaning.Type

export const Mapping = Schema.Struct({
  name: Schema.String.pipe(
    Schema.pattern(/^[a-z][a-z0-9-]{0,39}$/),
    Schema.annotations({ description: "the name of the source: lower case letters, digits and hyphens" }),
  ),
  each: optional(Schema.Union(Value, Schema.Array(Value).pipe(Schema.minItems(1)))).annotations({
    description:
      "A list in each line or document, or lists within lists. Each item is a record: _whole holds its parent, _index its position. The line or document itself is the last record, without the list",
  }),
  run: optional(Value).annotations({
    description:
      "The id of the record's run. Default: a file is one run, by its name; with `each`, each line or item of the document's list is one",
  }),
  goal: optional(Value).annotations({ description: "The goal of the run. Default: the first message" }),
  agent: optional(Value).annotations({ description: "The agent's name. Default: the name of the source" }),
  time: optional(Value).annotations({ description: "The record's time: RFC 3339, or a number since 1970" }),
  id: optional(Value).annotations({
    description: "The record's own id, unique in its run. Default: its number in the run",
  }),
  kind: optional(Value).annotations({ description: "The kind of a kept record. Default: record" }),
  records: Schema.Array(Meaning).pipe(
    Schema.minItems(1),
    Schema.annotations({ description: "a list of at least one meaning; a record that has none is kept as it is" }),
  ),
}).annotations({ identifier: "Mapping", description: "a mapping: an object with name and records" })

export type Mapping = typeof Mapping.Type

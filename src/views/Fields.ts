/** Fields that parts of a view share: pointers, formats, texts with bindings, glyphs and colours. */
import { Schema } from "effect"
import { issueOfCheck } from "../values/OptionIssues.ts"
import { isVisible, oneLine } from "../values/PlainText.ts"
import { COLOURS } from "./Colours.ts"
import { graphemes, width } from "./Columns.ts"
import { isFormat } from "./Format.ts"
import { flawOf } from "./Template.ts"

export const optional = <Field extends Schema.Schema.All>(field: Field) => Schema.optionalWith(field, { exact: true })

/** In characters. */
const MAX_POINTER = 300
const MAX_KEYS = 16

const POINTER = new RegExp(`^(?:/(?:[^~/]|~[01])*){0,${MAX_KEYS}}$`, "u")

/** A JSON Pointer (RFC 6901) into the state document, or into a row or an entity of it. */
export const Pointer = Schema.String.pipe(
  Schema.filter((text) => text.length <= MAX_POINTER && POINTER.test(text)),
  Schema.annotations({
    jsonSchema: { pattern: POINTER.source },
    description: `a JSON Pointer such as /agents/alice/position, of at most ${MAX_KEYS} keys`,
  }),
)

/** A JSON Pointer in which the key `*` matches each item of a list or member of an object. */
export const Pattern = Pointer.annotations({
  description: `a JSON Pointer such as /agents/*, of at most ${MAX_KEYS} keys; the key * is each item or member`,
})

/** In characters. */
const MAX_TEXT = 2_000

/** In characters. */
const MAX_LABEL = 60

/** A short text on one line, without bindings. */
export const Label = Schema.String.pipe(
  Schema.filter((text) => text.length > 0 && text.length <= MAX_LABEL && isVisible(text)),
  Schema.annotations({
    description: `a line of 1 to ${MAX_LABEL} characters, without invisible or control characters`,
    jsonSchema: { minLength: 1, maxLength: MAX_LABEL },
  }),
)

const TEXT = `text of at most ${MAX_TEXT} characters with bindings such as {/steps} or {/x|.2}; {{ and }} stand for braces`

/** Text of one or several lines with bindings such as `{/steps}` and `{/x|.2}`. */
export const Text = Schema.String.pipe(
  Schema.filter((text) => {
    const flaw = text.length > MAX_TEXT ? `${text.length} characters` : (unseen(text) ?? flawOf(text))
    return flaw === undefined || issueOfCheck({ keys: [], expected: TEXT, found: flaw })
  }),
  Schema.annotations({ description: TEXT, jsonSchema: { maxLength: MAX_TEXT } }),
)

const unseen = (text: string): string | undefined =>
  isVisible(text.replaceAll("\n", " ")) ? undefined : `"${oneLine(text).slice(0, MAX_LABEL)}"`

/** In characters. */
const MAX_ENTRY = 200

/** The text of a lookup, on one line, without bindings; may be empty. */
export const Entry = Schema.String.pipe(
  Schema.filter((text) => text.length <= MAX_ENTRY && isVisible(text)),
  Schema.annotations({
    description: `a line of at most ${MAX_ENTRY} characters, without invisible or control characters`,
    jsonSchema: { maxLength: MAX_ENTRY },
  }),
)

/** How a value becomes text: a format, or the name of one of the view's lookups. */
export const Format = Schema.String.pipe(
  Schema.filter((text) => isFormat(text)),
  Schema.annotations({
    jsonSchema: { minLength: 1 },
    description: '".2" (digits after the point), ".1%", "list", "length", "json", or the name of a lookup',
  }),
)

/** In UTF-16 units; an emoji may have several. */
const MAX_GLYPH = 16

/** One user-perceived character. */
export const Glyph = Schema.String.pipe(
  Schema.filter(
    (text) => text.length <= MAX_GLYPH && isVisible(text) && graphemes(text).length === 1 && width(text) > 0,
  ),
  Schema.annotations({ description: "one visible character", jsonSchema: { minLength: 1, maxLength: MAX_GLYPH } }),
)

/** The colours of glyphs and texts. Each medium chooses a legible shade. */
export const Colour = Schema.Literal(...COLOURS).annotations({
  identifier: "ViewColour",
  description: COLOURS.map((colour) => `"${colour}"`).join(", "),
})

export type Colour = typeof Colour.Type

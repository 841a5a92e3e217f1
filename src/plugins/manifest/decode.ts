/**
 * Decodes a manifest from JSON and reports all mistakes at once. Beyond the schema, it checks rules that span several
 * fields: unique names, measures that are not empty, and paths that stay in the plugin's directory.
 */
import { Data, Either, Schema } from "effect"
import { findNonJson, Json, pointerToken, valueAt } from "../../values/Json.ts"
import { issuesOf, type SchemaIssue } from "../../values/OptionIssues.ts"
import { type ManifestIssue, unreadable } from "./characterChecks.ts"
import { FILE, Manifest } from "./schema.ts"

/** Fix the manifest: `issues` are all mistakes in it. */
export class ManifestInvalid extends Data.TaggedError("ManifestInvalid")<{
  /** The file's path, or its name if the path is unknown. */
  readonly file: string
  readonly issues: ReadonlyArray<ManifestIssue>
}> {
  override get message() {
    const count = this.issues.length === 1 ? "1 mistake" : `${this.issues.length} mistakes`
    return `${this.file} has ${count}:${this.issues.map((issue) => `\n  ${describe(issue)}`).join("")}`
  }
}

/** Options of decoding: strictness, and the file's name for messages. */
export interface DecodeOptions {
  /** Accepts unknown fields, and measures without rewards and punishments, with a warning each. Default: false. */
  readonly lenient?: boolean
  /**
   * The manifest was accepted earlier, perhaps by a version without the limits of `LONGEST`. Its text is not checked
   * against them again. Default: false.
   */
  readonly accepted?: boolean
  /** Default: `looper-plugin.json`. */
  readonly file?: string
}

/** A decoded manifest without its unknown fields, and the warnings about it. */
export interface Decoded {
  readonly manifest: Manifest
  /** One line for each issue that strict decoding would refuse. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Decodes a manifest from parsed JSON and reports all mistakes at once. Unless `lenient` is set, an unknown field is an
 * error, because it is more often a typing mistake than an extension.
 */
export const decode = (json: unknown, options: DecodeOptions = {}): Either.Either<Decoded, ManifestInvalid> => {
  const { manifest, issues } = judge(json, options)
  const fatal = issues.filter(({ tolerable }) => !(options.lenient === true && tolerable))
  if (fatal.length > 0 || manifest === undefined) {
    return Either.left(new ManifestInvalid({ file: options.file ?? FILE, issues: fatal.map(withoutJudgement) }))
  }
  return Either.right({ manifest, warnings: issues.map(describe) })
}

/** A document, decoded as far as possible, and every issue that strict decoding refuses. */
export interface JudgedManifest {
  /** The manifest without unknown fields; undefined if it has other mistakes. */
  readonly manifest: Manifest | undefined
  readonly issues: ReadonlyArray<JudgedIssue>
}

/** An issue, and whether lenient decoding accepts it. */
export interface JudgedIssue extends ManifestIssue {
  readonly tolerable: boolean
}

/** As `decode`, but returns all issues, including those that lenient decoding accepts. */
export const judge = (json: unknown, { accepted = false }: Pick<DecodeOptions, "accepted"> = {}): JudgedManifest => {
  const strict = strictly(json)
  const issues = [
    ...(Either.isLeft(strict) ? issuesOf(strict.left.issue).map(atPointer) : []),
    ...(isJson(json) ? contradictions(json) : unrecordable(json)),
    ...(isJson(json) && !accepted ? unreadable(json).map((issue) => ({ ...issue, tolerable: false })) : []),
  ]
  return { manifest: Either.getOrUndefined(permissively(json)), issues }
}

/**
 * A manifest is recorded as JSON. It cannot be recorded if a text has an unpaired surrogate or if it is nested too
 * deeply.
 */
const unrecordable = (document: unknown): ReadonlyArray<JudgedIssue> => {
  const wrong = typeof document === "object" && document !== null ? findNonJson(document) : undefined
  if (wrong === undefined) return []
  return [{ path: wrong.path, expected: "JSON that can be recorded", found: wrong.found, tolerable: false }]
}

/** The issue without its `tolerable` flag. */
export const withoutJudgement = ({ tolerable: _, ...issue }: JudgedIssue): ManifestIssue => issue

const atPointer = ({ keys, expected, found, nearest, tolerable }: SchemaIssue): JudgedIssue => ({
  ...{ path: pointer(keys.map(String)), expected, tolerable },
  found: nearest === undefined ? found : `${found} (did you mean ${nearest}?)`,
})

const strictly = Schema.decodeUnknownEither(Manifest, { errors: "all", onExcessProperty: "error" })
const permissively = Schema.decodeUnknownEither(Manifest, { onExcessProperty: "ignore" })
const isJson = Schema.is(Json)

/** Formats an issue on one line: its location if known, its path, what was expected and what was found. */
export const describe = ({ path, expected, found, place }: ManifestIssue): string =>
  `${place === undefined ? "" : `${place.line}:${place.column} `}${path === "" ? "(the whole file)" : path}: expected ${expected}, found ${found}`

/**
 * Checks the rules that span several fields. The input is the undecoded document, so that these issues are reported
 * together with fields of the wrong type.
 */
const contradictions = (document: Json): ReadonlyArray<JudgedIssue> => {
  const measures = elementsAt(document, ["peas", "performance"])
  const isEmpty = ({ keys }: Element) =>
    elementsAt(document, [...keys, "rewards"]).length + elementsAt(document, [...keys, "punishments"]).length === 0
  const lists = measures.flatMap(({ keys }) => [
    [...keys, "rewards"],
    [...keys, "punishments"],
  ])
  return [
    ...leadsOut(document, ["entry"]),
    ...leadsOut(document, ["peas", "environment", "scenario"]),
    ...measures.filter(isEmpty).map(({ keys }) => ({
      path: pointer(keys),
      expected: "at least one reward or punishment",
      found: "none",
      tolerable: true,
    })),
    ...repeated(document, measures, "each measure to have a name of its own"),
    ...lists.flatMap((keys) =>
      repeated(
        document,
        elementsAt(document, keys),
        "each reward and each punishment of a measure to have a name of its own",
      ),
    ),
    ...repeated(
      document,
      [...elementsAt(document, ["peas", "sensors"]), ...elementsAt(document, ["peas", "actuators"])],
      "each sensor and actuator to have a name of its own, because both are called `plugin/name`",
    ),
  ]
}

interface Element {
  readonly keys: ReadonlyArray<string>
}

const pointer = (keys: ReadonlyArray<string>) => keys.map((key) => `/${pointerToken(key)}`).join("")

const elementsAt = (document: Json, keys: ReadonlyArray<string>): ReadonlyArray<Element> => {
  const list = valueAt(document, keys)
  return Array.isArray(list) ? list.map((_, index) => ({ keys: [...keys, String(index)] })) : []
}

const repeated = (document: Json, elements: ReadonlyArray<Element>, expected: string): ReadonlyArray<JudgedIssue> => {
  const first = new Map<string, string>()
  return elements.flatMap(({ keys }) => {
    const name = valueAt(document, [...keys, "name"])
    if (typeof name !== "string") return []
    const path = pointer([...keys, "name"])
    const earlier = first.get(name)
    if (earlier === undefined) {
      first.set(name, path)
      return []
    }
    return [{ path, expected, found: `${JSON.stringify(name)}, which ${earlier} has already`, tolerable: false }]
  })
}

/** Reports a path in the document that leads out of the plugin's directory. */
export const leadsOut = (document: Json, keys: ReadonlyArray<string>): ReadonlyArray<JudgedIssue> => {
  const place = valueAt(document, keys)
  if (typeof place !== "string" || !(place.startsWith("/") || place.split(/[\\/]/).includes(".."))) return []
  return [
    {
      path: pointer(keys),
      expected: "a path inside the plugin's directory, relative and without `..`",
      found: JSON.stringify(place),
      tolerable: false,
    },
  ]
}

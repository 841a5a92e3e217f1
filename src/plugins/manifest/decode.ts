import { Data, Either, Schema } from "effect"
import { findNonJson, Json, pointerToken, valueAt } from "../../values/Json.ts"
import { issuesOf, type SchemaIssue } from "../../values/OptionIssues.ts"
import { type ManifestIssue, unreadable } from "./characterChecks.ts"
import { FILE, Manifest } from "./schema.ts"

/** Fix the manifest: everything that is wrong in it, at once. */
export class ManifestInvalid extends Data.TaggedError("ManifestInvalid")<{
  /** The file, as a path where there is one. */
  readonly file: string
  readonly issues: ReadonlyArray<ManifestIssue>
}> {
  override get message() {
    const count = this.issues.length === 1 ? "1 mistake" : `${this.issues.length} mistakes`
    return `${this.file} has ${count}:${this.issues.map((issue) => `\n  ${describe(issue)}`).join("")}`
  }
}

/** How strictly to decode, and the name of the file for messages. */
export interface DecodeOptions {
  /** Accepts unknown fields and measures without rewards and punishments, with a warning each. Default: false. */
  readonly lenient?: boolean
  /**
   * It was accepted before, perhaps by an earlier version that did not hold its text to bounds (`LONGEST`): it is not held to
   * them now. Default: false.
   */
  readonly accepted?: boolean
  /** Default: `looper-plugin.json`. */
  readonly file?: string
}

/** A manifest, and what was let pass. Unknown fields are left out of it. */
export interface Decoded {
  readonly manifest: Manifest
  /** One line for each thing that strict decoding refuses. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Decodes a manifest from parsed JSON; reports all that is wrong, at once. Strict, unless `lenient`: an unknown field
 * is an error too, because it is more often a typing mistake than an extension.
 */
export const decode = (json: unknown, options: DecodeOptions = {}): Either.Either<Decoded, ManifestInvalid> => {
  const { manifest, issues } = judge(json, options)
  const fatal = issues.filter(({ tolerable }) => !(options.lenient === true && tolerable))
  if (fatal.length > 0 || manifest === undefined) {
    return Either.left(new ManifestInvalid({ file: options.file ?? FILE, issues: fatal.map(withoutJudgement) }))
  }
  return Either.right({ manifest, warnings: issues.map(describe) })
}

/** A document as far as it is a manifest, and everything about it that strict decoding refuses. */
export interface JudgedManifest {
  /** Without unknown fields; undefined where more is wrong than those. */
  readonly manifest: Manifest | undefined
  readonly issues: ReadonlyArray<JudgedIssue>
}

/** An issue, and whether lenient decoding lets it pass. */
export interface JudgedIssue extends ManifestIssue {
  readonly tolerable: boolean
}

/** As `decode`, and says all there is to say, whatever is tolerated. */
export const judge = (json: unknown, { accepted = false }: Pick<DecodeOptions, "accepted"> = {}): JudgedManifest => {
  const strict = strictly(json)
  const issues = [
    ...(Either.isLeft(strict) ? issuesOf(strict.left.issue).map(atPointer) : []),
    ...(isJson(json) ? contradictions(json) : unrecordable(json)),
    ...(isJson(json) && !accepted ? unreadable(json).map((issue) => ({ ...issue, tolerable: false })) : []),
  ]
  return { manifest: Either.getOrUndefined(permissively(json)), issues }
}

/** A manifest is recorded as JSON: text with half a character in it, or deeper than anybody reads, cannot be. */
const unrecordable = (document: unknown): ReadonlyArray<JudgedIssue> => {
  const wrong = typeof document === "object" && document !== null ? findNonJson(document) : undefined
  if (wrong === undefined) return []
  return [{ path: wrong.path, expected: "JSON that can be recorded", found: wrong.found, tolerable: false }]
}

/** The issue alone. */
export const withoutJudgement = ({ tolerable: _, ...issue }: JudgedIssue): ManifestIssue => issue

const atPointer = ({ keys, expected, found, nearest, tolerable }: SchemaIssue): JudgedIssue => ({
  ...{ path: pointer(keys.map(String)), expected, tolerable },
  found: nearest === undefined ? found : `${found} (did you mean ${nearest}?)`,
})

const strictly = Schema.decodeUnknownEither(Manifest, { errors: "all", onExcessProperty: "error" })
const permissively = Schema.decodeUnknownEither(Manifest, { onExcessProperty: "ignore" })
const isJson = Schema.is(Json)

/** One line: the place where there is one, the path, what was expected and what was found. */
export const describe = ({ path, expected, found, place }: ManifestIssue): string =>
  `${place === undefined ? "" : `${place.line}:${place.column} `}${path === "" ? "(the whole file)" : path}: expected ${expected}, found ${found}`

/**
 * What no single field is to blame for. It looks at the document as it came, so that it is reported together with
 * fields of the wrong type.
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
    ...leadsOut(document, ["precomputed", "module"]),
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

/** Whether the path at some place of the document leads out of the plugin's directory. */
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

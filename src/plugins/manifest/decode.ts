/**
 * Decodes a manifest from JSON and reports all mistakes at once: those of the schema, and those that span fields, such
 * as repeated names, empty measures and paths that leave the plugin's directory.
 */
import { Data, Either, Schema } from "effect"
import { findNonJson, Json, pointerToken, valueAt } from "../../values/Json.ts"
import { issuesOf, type SchemaIssue } from "../../values/OptionIssues.ts"
import { type ManifestIssue, textIssues } from "./characterChecks.ts"
import { FILE } from "./ManifestFile.ts"
import { BUILT_IN } from "./models/Provider.ts"
import { contradictions } from "./policies/ToolPolicies.ts"
import { Manifest } from "./schema.ts"
import { DERIVED } from "./world.ts"
import { pythonIssues, worldIssues } from "./worldIssues.ts"

/** Fix the manifest: `issues` lists all its mistakes. */
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

/** Options of `decode`. */
export interface DecodeOptions {
  /** Turns unknown fields and empty measures from mistakes into warnings. Default: false. */
  readonly lenient?: boolean
  /**
   * Skips the limits of `MAX_LENGTHS`: an earlier version, perhaps without them, accepted this manifest. Default:
   * false.
   */
  readonly accepted?: boolean
  /** The file's name in messages. Default: `looper-plugin.json`. */
  readonly file?: string
}

/** A decoded manifest without unknown fields, and its warnings. */
export interface DecodedManifest {
  readonly manifest: Manifest
  /** One line per issue that strict decoding refuses. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Decodes a manifest from parsed JSON and reports all mistakes at once. An unknown field is a mistake unless `lenient`
 * is set: it is more often a typing error than an extension.
 */
export const decode = (json: unknown, options: DecodeOptions = {}): Either.Either<DecodedManifest, ManifestInvalid> => {
  const { manifest, issues } = validate(json, options)
  const fatal = issues.filter(({ tolerable }) => !(options.lenient === true && tolerable))
  if (fatal.length > 0 || manifest === undefined) {
    return Either.left(new ManifestInvalid({ file: options.file ?? FILE, issues: fatal.map(withoutTolerable) }))
  }
  return Either.right({ manifest, warnings: issues.map(describe) })
}

/** A document, decoded as far as possible, with every issue that strict decoding refuses. */
export interface ValidatedManifest {
  /** The manifest without unknown fields; undefined if other mistakes remain. */
  readonly manifest: Manifest | undefined
  readonly issues: ReadonlyArray<ValidationIssue>
}

/** An issue; `tolerable` if lenient decoding accepts it. */
export interface ValidationIssue extends ManifestIssue {
  readonly tolerable: boolean
}

/** Decodes like `decode`, but returns every issue. */
export const validate = (
  json: unknown,
  { accepted = false }: Pick<DecodeOptions, "accepted"> = {},
): ValidatedManifest => {
  const strict = strictly(json)
  const issues = [
    ...(Either.isLeft(strict) ? issuesOf(strict.left.issue).map(atPointer) : []),
    ...(isJson(json) ? crossFieldIssues(json) : nonJsonIssues(json)),
    ...(isJson(json) && !accepted
      ? [...textIssues(json).map((issue) => ({ ...issue, tolerable: false })), ...derivedNameIssues(json)]
      : []),
  ]
  return { manifest: Either.getOrUndefined(permissively(json)), issues }
}

/** Components that a world declares although they follow from its spaces. */
const derivedNameIssues = (document: Json): ReadonlyArray<ValidationIssue> => {
  if (valueAt(document, ["peas", "environment", "spaces"]) === undefined) return []
  return [...elementsAt(document, ["peas", "sensors"]), ...elementsAt(document, ["peas", "actuators"])].flatMap(
    ({ keys }) => {
      const name = valueAt(document, [...keys, "name"])
      if (typeof name !== "string" || !DERIVED.includes(name)) return []
      const expected = `a name other than ${DERIVED.join(", ")}, which Hindcast derives from the spaces`
      return [{ path: pointer([...keys, "name"]), expected, found: JSON.stringify(name), tolerable: false }]
    },
  )
}

/** The log records a manifest as JSON. Unpaired surrogates and very deep nesting make that impossible. */
const nonJsonIssues = (document: unknown): ReadonlyArray<ValidationIssue> => {
  const wrong = typeof document === "object" && document !== null ? findNonJson(document) : undefined
  if (wrong === undefined) return []
  return [{ path: wrong.path, expected: "JSON that can be recorded", found: wrong.found, tolerable: false }]
}

/** An issue without its `tolerable` flag. */
export const withoutTolerable = ({ tolerable: _, ...issue }: ValidationIssue): ManifestIssue => issue

const atPointer = ({ keys, expected, found, nearest, tolerable }: SchemaIssue): ValidationIssue => ({
  path: pointer(keys.map(String)),
  expected,
  tolerable,
  found: nearest === undefined ? found : `${found} (did you mean ${nearest}?)`,
})

const strictly = Schema.decodeUnknownEither(Manifest, { errors: "all", onExcessProperty: "error" })
const permissively = Schema.decodeUnknownEither(Manifest, { onExcessProperty: "ignore" })
const isJson = Schema.is(Json)

/** One line: location if known, path, expected, found. */
export const describe = ({ path, expected, found, place }: ManifestIssue): string =>
  `${place === undefined ? "" : `${place.line}:${place.column} `}${path === "" ? "(the whole file)" : path}: expected ${expected}, found ${found}`

/**
 * Checks rules that span fields, on the undecoded document, so that they report together with fields of the wrong type.
 */
const crossFieldIssues = (document: Json): ReadonlyArray<ValidationIssue> => {
  const measures = elementsAt(document, ["peas", "performance"])
  const isEmpty = ({ keys }: Element) =>
    elementsAt(document, [...keys, "rewards"]).length + elementsAt(document, [...keys, "punishments"]).length === 0
  const guides = elementsAt(document, ["guides"])
  const hasTwoPrompts = ({ keys }: Element) =>
    valueAt(document, [...keys, "systemPrompt"]) !== undefined && valueAt(document, [...keys, "file"]) !== undefined
  const actuators = elementsAt(document, ["peas", "actuators"])
  const lists = measures.flatMap(({ keys }) => [
    [...keys, "rewards"],
    [...keys, "punishments"],
  ])
  return [
    ...outsidePathIssues(document, ["entry"]),
    ...outsidePathIssues(document, ["peas", "environment", "scenario"]),
    ...outsidePathIssues(document, ["peas", "environment", "configuration"]),
    ...outsidePathIssues(document, ["peas", "environment", "viewHtml"]),
    ...[...worldIssues(document), ...pythonIssues(document)].map((issue) => ({ ...issue, tolerable: false })),
    ...outsidePathIssues(document, ["precomputed", "module"]),
    ...guides.flatMap(({ keys }) => outsidePathIssues(document, [...keys, "file"])),
    ...guides.filter(hasTwoPrompts).map(({ keys }) => ({
      path: pointer([...keys, "file"]),
      expected: "a system prompt or a file with it",
      found: "both",
      tolerable: false,
    })),
    ...actuators.flatMap(({ keys }) =>
      contradictions((name) => valueAt(document, [...keys, name])).map(({ field, expected, found }) => ({
        path: pointer([...keys, field]),
        expected,
        found,
        tolerable: false,
      })),
    ),
    ...duplicates(document, guides, "a unique name for each guide"),
    ...duplicates(document, elementsAt(document, ["listeners"]), "a unique name for each listener"),
    ...duplicates(document, elementsAt(document, ["provider", "models"]), "a unique name for each model"),
    ...providerIssues(document),
    ...measures.filter(isEmpty).map(({ keys }) => ({
      path: pointer(keys),
      expected: "at least one reward or punishment",
      found: "none",
      tolerable: true,
    })),
    ...duplicates(document, measures, "a unique name for each measure"),
    ...lists.flatMap((keys) =>
      duplicates(
        document,
        elementsAt(document, keys),
        "a unique name for each reward and each punishment of a measure",
      ),
    ),
    ...duplicates(
      document,
      [...elementsAt(document, ["peas", "sensors"]), ...elementsAt(document, ["peas", "actuators"])],
      "a unique name for each sensor and actuator, because both are called `plugin/name`",
    ),
  ]
}

/** A provider needs a process of Deno, and a name of its own. */
const providerIssues = (document: Json): ReadonlyArray<ValidationIssue> => {
  if (valueAt(document, ["provider"]) === undefined) return []
  const name = valueAt(document, ["name"])
  const runtime = valueAt(document, ["runtime"])
  const issue = (key: string, expected: string, found: Json) => ({
    path: pointer([key]),
    expected,
    found: JSON.stringify(found),
    tolerable: false,
  })
  return [
    ...(typeof name === "string" && (BUILT_IN as ReadonlyArray<string>).includes(name)
      ? [issue("name", `a name other than ${BUILT_IN.join(", ")}, which are providers of Hindcast`, name)]
      : []),
    ...(typeof runtime === "string"
      ? [issue("runtime", "no runtime in a plugin with a provider, which runs in Deno", runtime)]
      : []),
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

const duplicates = (
  document: Json,
  elements: ReadonlyArray<Element>,
  expected: string,
): ReadonlyArray<ValidationIssue> => {
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

/** Reports a path that leaves the plugin's directory. */
export const outsidePathIssues = (document: Json, keys: ReadonlyArray<string>): ReadonlyArray<ValidationIssue> => {
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

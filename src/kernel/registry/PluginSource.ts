/** Opens the source of an import: a directory, an archive or a Git repository. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { Origin } from "../../events/vocabulary/Plugins.ts"
import { EITHER_FILE, manifestsIn } from "../../plugins/manifest/ManifestFile.ts"
import { confusableCharacter } from "../../plugins/manifest/paths.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import * as ShippedPlugins from "../../plugins/ShippedPlugins.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import * as GitSource from "./GitSource.ts"
import * as PluginArchive from "./PluginArchive.ts"
import { nameIssue, SourceRefused } from "./SourceLimits.ts"
import { temporary } from "./TemporaryDirectory.ts"

export interface Opened {
  readonly directory: string
  readonly origin: Origin
  /** The source for a later import. A repository's name includes the commit. */
  readonly name: string
}

/**
 * Opens a plugin's source, as a person named it:
 * - a directory
 * - an archive: `.tgz`, `.tar.gz` or `.tar`
 * - a Git repository: `https://…`, `ssh://…`, `file://…` or `user@host:path`; or a local path that starts with `git+`,
 *   ends with `#REF`, or is a bare repository
 * - the name of a plugin that comes with Hindcast, unless something of that name is in the working directory
 *
 * `#REF` is a branch, a tag or a commit (default: the default branch); `#REF:DIR` adds a directory. Unpacked files go
 * when the scope closes.
 */
export const open = (source: string): Effect.Effect<Opened, SourceRefused | PluginUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const kind = yield* recognize(source)
    switch (kind.is) {
      case "directory": {
        const { path } = kind
        return { directory: path, origin: { kind: "directory", path }, name: path }
      }
      case "archive": {
        const { path } = kind
        const bytes = yield* PluginArchive.read(path, source)
        const directory = yield* PluginArchive.unpack(bytes, yield* temporary(source), source)
        return { directory, origin: { kind: "archive", path, sha256: PluginArchive.sha256(bytes) }, name: path }
      }
      case "git": {
        const { repository } = kind
        const { directory, commit } = yield* GitSource.fetch(repository, source)
        const below = repository.directory === undefined ? "" : `:${repository.directory}`
        return {
          directory,
          origin: { kind: "git", ...repository, commit },
          name: `git+${repository.url}#${commit}${below}`,
        }
      }
    }
  })

type Kind =
  | { readonly is: "directory" | "archive"; readonly path: string }
  | { readonly is: "git"; readonly repository: GitSource.Repository }

const recognize = (source: string): Effect.Effect<Kind, SourceRefused | PluginUnavailable> =>
  Effect.gen(function* () {
    const refuse = (issue: string) =>
      new SourceRefused({ source: JSON.stringify(withoutSecrets(source)), issues: [issue] })
    const repositoryIn = (text: string) =>
      Effect.map(Effect.mapError(readRepository(text), refuse), (repository): Kind => ({ is: "git", repository }))
    const confusable = source.trim() === "" ? "nothing" : confusableCharacter(source)
    if (confusable !== undefined) return yield* refuse(`expected ${EXPECTED}; found ${confusable}`)
    if (source.startsWith(GIT)) return yield* repositoryIn(source.slice(GIT.length))
    if (isRemote(source)) return yield* repositoryIn(source)
    const absolute = path.resolve(source)
    const stats = yield* statsOf(absolute)
    if (stats?.isDirectory() === true) {
      return (yield* isBareRepository(absolute)) ? yield* repositoryIn(source) : { is: "directory", path: absolute }
    }
    if (stats !== undefined) {
      if (ARCHIVE.test(source)) return { is: "archive", path: absolute }
      return yield* refuse(`expected ${EXPECTED}; found a file of another name`)
    }
    const [before, fragment] = split(source)
    const isRepository = fragment !== undefined && (yield* statsOf(path.resolve(before)))?.isDirectory() === true
    if (isRepository) return yield* repositoryIn(source)
    const shipped = ShippedPlugins.find(source)
    if (shipped !== undefined) return { is: "directory", path: shipped }
    return yield* new PluginUnavailable({
      plugin: source,
      reason: `expected ${EXPECTED}, each with ${EITHER_FILE}, or the name of a plugin that comes with Hindcast; found nothing at ${absolute}`,
      missing: true,
    })
  })

const EXPECTED = "a directory, an archive named .tgz, .tar.gz or .tar, or a Git repository"

/** Makes a local path a repository. */
const GIT = "git+"

const ARCHIVE = /\.(?:tgz|tar\.gz|tar)$/i

const statsOf = (absolute: string) => Effect.promise(() => fs.stat(absolute).catch(() => undefined))

const isBareRepository = (absolute: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const names = await fs.readdir(absolute).catch((): ReadonlyArray<string> => [])
    return ["HEAD", "objects", "refs"].every((name) => names.includes(name)) && manifestsIn(names).length === 0
  })

const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const SCP = /^[\w][\w.-]*@[\w][\w.-]*:/

const isRemote = (text: string): boolean => SCHEME.test(text) || SCP.test(text)

const split = (text: string): readonly [before: string, fragment: string | undefined] => {
  const hash = text.lastIndexOf("#")
  return hash < 0 ? [text, undefined] : [text.slice(0, hash), text.slice(hash + 1)]
}

/** Parses `LOCATION`, `LOCATION#REF` or `LOCATION#REF:DIR`. Fails with a message. */
const readRepository = (text: string): Effect.Effect<GitSource.Repository, string> =>
  Effect.gen(function* () {
    const [location, fragment = "HEAD"] = split(text)
    const colon = fragment.indexOf(":")
    const [ref, directory] = colon < 0 ? [fragment, undefined] : [fragment.slice(0, colon), fragment.slice(colon + 1)]
    if (!REF.test(ref) || ref.includes("..")) {
      return yield* Effect.fail(`expected a branch, a tag or a commit after "#", found ${JSON.stringify(ref)}`)
    }
    const wrong = directory === undefined ? undefined : nameIssue(directory.replace(/\/$/, ""))
    if (wrong !== undefined) return yield* Effect.fail(wrong)
    const url = yield* readLocation(location)
    return { url, ref, ...(directory === undefined ? {} : { directory: directory.replace(/\/$/, "") }) }
  })

/** No leading `-`, which would make it an option; no `:` and `+`, which Git interprets. */
const REF = /^[A-Za-z0-9_][\w./@-]*$/

const readLocation = (location: string): Effect.Effect<string, string> => {
  const scheme = SCHEME.exec(location)?.[1]?.toLowerCase()
  if (SCP.test(location)) return Effect.succeed(location)
  if (scheme === undefined) return Effect.succeed(path.resolve(location))
  const url = canParseUrl(location) ? new URL(location) : undefined
  if (url === undefined || !SCHEMES.has(scheme) || location.includes("::")) {
    return Effect.fail(`expected a repository by https, ssh or file, found ${JSON.stringify(`${scheme}:`)}`)
  }
  // The log keeps the URL forever, so it must not contain secrets.
  if (url.password !== "" || (scheme !== "ssh" && url.username !== "") || url.search !== "") {
    return Effect.fail("expected a URL without a name, a password or a token; Git asks your credential helper for them")
  }
  return Effect.succeed(location)
}

/** Hides credentials, since messages may reach a file. */
const withoutSecrets = (source: string): string => source.replace(/\/\/[^/]*@/, "//…@").replace(/\?.*/s, "?…")

const SCHEMES: ReadonlySet<string> = new Set(["https", "ssh", "file"])

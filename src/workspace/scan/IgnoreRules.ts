/**
 * The files that a repository's `.gitignore` files exclude, as Git reads them (gitignore(5)). Does not start Git, whose
 * configuration can run programs.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import * as ExcludesFile from "../../platform/git/ExcludesFile.ts"
import * as GitIndex from "../../platform/git/GitIndex.ts"
import * as SmallFile from "../../platform/SmallFile.ts"
import * as GitPattern from "./GitPattern.ts"
import * as OuterRules from "./OuterRules.ts"
import * as PathRules from "./PathRules.ts"

/** A directory's rules, and the state of their file when it was read. */
interface Rules {
  readonly stamp: string
  readonly patterns: ReadonlyArray<GitPattern.GitPattern>
  /** The file's beginning. */
  readonly bytes: Uint8Array
}

/** Tracked files and the directories above them, and the state of the index that lists them. */
interface Tracked {
  readonly stamp: string
  readonly paths: ReadonlySet<string>
}

/** A repository below the root. */
interface Nested {
  readonly index: string
  readonly exclude: string
  /** Undefined until somebody asks. */
  readonly tracked: Tracked | undefined
}

/**
 * The present rules that apply below a root but are not in it: the user's, the repository's own, and those of
 * directories above the root.
 *
 * @param root an absolute path without links
 */
export const outside = (root: string): ((relative: string, isDirectory: boolean) => boolean) => {
  const rules = new IgnoreRules(root)
  rules.refresh()
  return (relative, isDirectory) => rules.isExcluded(relative, isDirectory)
}

export class IgnoreRules {
  readonly #root: string
  /** The repository around the root; the root without one. */
  readonly #repository: string
  readonly #index: string | undefined
  /** The Git directory that linked worktrees share. */
  readonly #shared: string | undefined
  readonly #exclude: string | undefined
  /** The root's path in the repository: empty, or with a final `/`. */
  readonly #prefix: string
  readonly #known = new Map<string, Rules>()
  /** Answers under the present rules, by path; directories have a final `/`. */
  readonly #answers = new Map<string, boolean>()
  #tracked: Tracked | undefined
  /** Repositories below the root, by their paths in the repository around it, with a final `/`. */
  readonly #nested = new Map<string, Nested>()

  /** @param root an absolute path without links */
  constructor(root: string) {
    this.#root = root
    const repository = GitIndex.repositoryAround(root)
    this.#repository = repository?.root ?? root
    const relative = path.relative(this.#repository, root).split(path.sep).join("/")
    this.#prefix = relative === "" ? "" : `${relative}/`
    this.#index = repository && path.join(repository.gitDirectory, "index")
    this.#shared = repository && GitIndex.commonDirectory(repository.gitDirectory)
    this.#exclude = this.#shared && path.join(this.#shared, "info", "exclude")
  }

  /**
   * Reads the rules above the root and the list of tracked files again if they changed. Returns whether they did:
   * earlier answers may then be wrong. Call it before a scan.
   */
  refresh(): boolean {
    const users = ExcludesFile.find(this.#shared)
    let hasChanged = users === undefined ? this.#forget("user") : this.#load("user", users, { followsLinks: true })
    if (this.#exclude !== undefined) hasChanged = this.#load("exclude", this.#exclude) || hasChanged
    const above = this.#prefix.split("/").slice(0, -1)
    for (let depth = 0; depth < above.length; depth++) {
      const directory = above.slice(0, depth).join("/")
      hasChanged = this.#load(`/${directory}`, path.join(this.#repository, directory, ".gitignore")) || hasChanged
    }
    const before = this.#tracked
    if (before !== undefined && this.#trackedNow() !== before) hasChanged = true
    for (const [prefix, nested] of this.#nested) {
      hasChanged = this.#load(`exclude ${prefix}`, nested.exclude) || hasChanged
      if (nested.tracked === undefined || nested.tracked.stamp === stampOf(nested.index)) continue
      this.#nested.set(prefix, { ...nested, tracked: undefined })
      hasChanged = true
    }
    return hasChanged
  }

  /**
   * Reads a directory's rules again if they changed: its `.gitignore`, if it has one, and those of a repository that it
   * is. Returns whether they did.
   */
  enter(directory: string, { has, isRepository }: { readonly has: boolean; readonly isRepository: boolean }): boolean {
    const isOther = directory !== "" && this.#nest(directory, isRepository)
    return this.#enter(directory, has) || isOther
  }

  /** Returns whether the directory became a repository, or is no longer one. */
  #nest(directory: string, isRepository: boolean): boolean {
    const prefix = `${this.#prefix}${directory}/`
    const found = isRepository ? GitIndex.repositoryAround(path.join(this.#root, directory)) : undefined
    if (found === undefined || found.root !== path.join(this.#root, directory)) {
      const wasOne = this.#nested.delete(prefix)
      if (wasOne) this.#answers.clear()
      return wasOne
    }
    const index = path.join(found.gitDirectory, "index")
    const exclude = path.join(GitIndex.commonDirectory(found.gitDirectory), "info", "exclude")
    const hasRules = this.#load(`exclude ${prefix}`, exclude)
    if (this.#nested.get(prefix)?.index === index) return hasRules
    this.#nested.set(prefix, { index, exclude, tracked: undefined })
    this.#answers.clear()
    return true
  }

  /** The innermost repository below the root that contains a path. */
  #nestedAround(inRepository: string): string | undefined {
    if (this.#nested.size === 0) return undefined
    for (let at = inRepository.lastIndexOf("/"); at > 0; at = inRepository.lastIndexOf("/", at - 1)) {
      const prefix = inRepository.slice(0, at + 1)
      if (this.#nested.has(prefix)) return prefix
    }
    return undefined
  }

  #enter(directory: string, has: boolean): boolean {
    const own = `/${this.#prefix}${directory}`.replace(/(?<=.)\/$/, "")
    if (has) return this.#load(own, path.join(this.#root, directory, ".gitignore"))
    const hadSome = this.#known.delete(own)
    if (hadSome) this.#answers.clear()
    return hadSome
  }

  /** Whether rules exclude a path below the root. Its directories must not be excluded themselves. */
  isExcluded(relative: string, isDirectory: boolean): boolean {
    const key = isDirectory ? `${relative}/` : relative
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = this.#decide(relative, isDirectory)
    if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear()
    this.#answers.set(key, answer)
    return answer
  }

  #decide(relative: string, isDirectory: boolean): boolean {
    const inRepository = this.#prefix + relative
    const patternsOf = (key: string) => this.#known.get(key)?.patterns
    const nested = this.#nestedAround(inRepository)
    const within = nested === undefined ? undefined : this.#decideWithin(nested, inRepository, isDirectory)
    // In a nested repository, Git would not apply the outer rules. Here they do apply, because they hide what the user
    // hid.
    return (
      within ??
      PathRules.ruling(inRepository, isDirectory, (directory) => patternsOf(`/${directory}`)) ??
      PathRules.decision(patternsOf("exclude"), inRepository, isDirectory) ??
      PathRules.decision(patternsOf("user"), inRepository, isDirectory) ??
      false
    )
  }

  #decideWithin(nested: string, inRepository: string, isDirectory: boolean): boolean | undefined {
    const patternsOf = (directory: string) =>
      `${directory}/`.startsWith(nested) ? this.#known.get(`/${directory}`)?.patterns : undefined
    return (
      PathRules.ruling(inRepository, isDirectory, patternsOf) ??
      PathRules.decision(this.#known.get(`exclude ${nested}`)?.patterns, inRepository.slice(nested.length), isDirectory)
    )
  }

  /** The user's rules and those of the repository's `info/exclude`, as of the last refresh. */
  outer(): OuterRules.OuterRules {
    const lines = ["user", "exclude"].flatMap((key) =>
      OuterRules.linesIn(Buffer.from(this.#known.get(key)?.bytes ?? []).toString("utf8")),
    )
    // In a part of a repository, they are relative to another directory.
    return lines.length === 0 || this.#prefix === "" ? lines : undefined
  }

  /** Whether Git tracks an excluded file, or one in an excluded directory. */
  isTracked(relative: string): boolean {
    const inRepository = this.#prefix + relative
    const nested = this.#nestedAround(inRepository)
    return nested === undefined
      ? this.#trackedNow().paths.has(inRepository)
      : this.#trackedIn(nested).has(inRepository.slice(nested.length))
  }

  #trackedIn(nested: string): ReadonlySet<string> {
    const known = this.#nested.get(nested)
    if (known === undefined) return new Set()
    const stamp = stampOf(known.index)
    if (known.tracked?.stamp === stamp) return known.tracked.paths
    const directory = path.join(this.#root, nested.slice(this.#prefix.length))
    const paths = withDirectories(GitIndex.tracked(directory)?.names ?? [])
    this.#nested.set(nested, { ...known, tracked: { stamp, paths } })
    return paths
  }

  /** Tracked files and the directories above them. Reads the index again if it changed. */
  #trackedNow(): Tracked {
    const stamp = this.#index === undefined ? "" : stampOf(this.#index)
    if (this.#tracked?.stamp === stamp) return this.#tracked
    this.#tracked = { stamp, paths: withDirectories(GitIndex.tracked(this.#root)?.names ?? []) }
    return this.#tracked
  }

  #forget(key: string): boolean {
    if (!this.#known.delete(key)) return false
    this.#answers.clear()
    return true
  }

  #load(key: string, file: string, { followsLinks = false } = {}): boolean {
    const state = stampOf(file, followsLinks)
    const stamp = state === "" ? "" : `${file} ${state}`
    const before = this.#known.get(key)
    if (before?.stamp === stamp) return false
    this.#answers.clear()
    const bytes = stamp === "" ? new Uint8Array() : bytesIn(file)
    this.#known.set(key, { stamp, patterns: GitPattern.ofFile(bytes), bytes })
    return before !== undefined || stamp !== ""
  }
}

/** Names, and the directories above them. */
const withDirectories = (names: ReadonlyArray<string>): ReadonlySet<string> => {
  const paths = new Set<string>()
  for (const name of names) {
    paths.add(name)
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
      const directory = name.slice(0, at)
      if (paths.has(directory)) break
      paths.add(directory)
    }
  }
  return paths
}

/** A file's state; empty if there is no regular file. Git does not follow links to `.gitignore` files either. */
const stampOf = (file: string, followsLinks = false): string => {
  try {
    const found = (followsLinks ? fs.statSync : fs.lstatSync)(file, { throwIfNoEntry: false })
    return found?.isFile() === true ? `${found.ino}-${found.size}-${found.mtimeMs}-${found.ctimeMs}` : ""
  } catch {
    return ""
  }
}

const bytesIn = (file: string): Uint8Array => {
  try {
    return SmallFile.readUpTo(file, GitPattern.MAX_FILE_BYTES)
  } catch {
    return new Uint8Array()
  }
}

const MAX_ANSWERS = 500_000

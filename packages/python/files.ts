import type { Json } from "hindcast/plugin"
import { type Request, refusal } from "./messages.ts"
import type { FileSystem, Stat } from "./pyodide.ts"

/** Maximum size of a file for `read` and `write`, in bytes: the content is copied several times. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024

/** Maximum number of entries in a listing, which is `truncated` beyond it. */
export const MAX_ENTRIES = 5_000

/** The interpreter's own directories: read-only here. */
const PROTECTED = ["/dev", "/lib", "/proc"]

type FileRequest = Exclude<Request, { readonly type: "execute" }>

/**
 * Lists, reads, writes, makes and removes files of the interpreter's file system. Relative paths start at Python's
 * `os.getcwd()`; `..` stops at the root. Throws errors with a `code`.
 */
export const fileActions = (fs: FileSystem): ((request: FileRequest) => Json) => {
  const absolute = (path: string): string => {
    if (path === "" || path.includes("\0"))
      throw refusal("bad-path", "Expected a path without NUL, of one character at least.")
    const parts: Array<string> = []
    for (const part of `${path.startsWith("/") ? "" : `${fs.cwd()}/`}${path}`.split("/")) {
      if (part === "..") parts.pop()
      else if (part !== "" && part !== ".") parts.push(part)
    }
    return `/${parts.join("/")}`
  }

  const changeable = (path: string): string => {
    const place = absolute(path)
    if (place === "/" || PROTECTED.some((root) => place === root || place.startsWith(`${root}/`))) {
      throw refusal(
        "protected",
        `${place} is the interpreter's own. Expected a path outside of ${PROTECTED.join(", ")}.`,
      )
    }
    return place
  }

  /** Follows links or not. Undefined if nothing is there. */
  const look = (place: string, how: "stat" | "lstat"): Stat | undefined => {
    try {
      return fs[how](place)
    } catch {
      return undefined
    }
  }

  const found = (place: string, how: "stat" | "lstat"): Stat =>
    look(place, how) ??
    fail("not-found", `Expected a file or directory at ${place}, found none. \`list\` shows what is there.`)

  const kindOf = ({ mode }: Stat) =>
    fs.isFile(mode) ? "file" : fs.isDir(mode) ? "directory" : fs.isLink(mode) ? "link" : "other"

  const list = (path: string): Json => {
    const place = absolute(path)
    const kind = kindOf(found(place, "stat"))
    if (kind !== "directory") fail("not-a-directory", `Expected a directory at ${place}, found a ${kind}.`)
    const names = fs.readdir(place).filter((name) => name !== "." && name !== "..")
    const entries = names
      .sort()
      .slice(0, MAX_ENTRIES)
      .map((name) => {
        const stat = found(`${place}/${name}`, "lstat")
        return { name: name.toWellFormed(), kind: kindOf(stat), size: stat.size, modifiedAt: stat.mtime.getTime() }
      })
    return { path: place, entries, truncated: names.length > MAX_ENTRIES }
  }

  const read = (path: string): Json => {
    const place = absolute(path)
    const stat = found(place, "stat")
    if (kindOf(stat) !== "file") fail("not-a-file", `Expected a file at ${place}, found a ${kindOf(stat)}.`)
    if (stat.size > MAX_FILE_BYTES) {
      fail(
        "too-large",
        `Expected a file of at most ${MAX_FILE_BYTES} bytes, found ${stat.size} in ${place}. Read a part of it with \`execute\`.`,
      )
    }
    return { path: place, bytes: stat.size, ...encoded(fs.readFile(place)) }
  }

  const makeDirectories = (place: string) => {
    const parts = place.split("/").slice(1)
    for (let depth = 1; depth <= parts.length; depth++) {
      const directory = `/${parts.slice(0, depth).join("/")}`
      const stat = look(directory, "stat")
      if (stat === undefined) fs.mkdir(directory)
      else if (!fs.isDir(stat.mode))
        fail("not-a-directory", `Expected a directory at ${directory}, found a ${kindOf(stat)}.`)
    }
  }

  const write = (path: string, content: Uint8Array): Json => {
    const place = changeable(path)
    if (content.length > MAX_FILE_BYTES) {
      fail(
        "too-large",
        `Expected at most ${MAX_FILE_BYTES} bytes, found ${content.length} for ${place}. Write it in parts with \`execute\`.`,
      )
    }
    const stat = look(place, "stat")
    if (stat !== undefined && !fs.isFile(stat.mode)) {
      fail("not-a-file", `Expected a file or nothing at ${place}, found a ${kindOf(stat)}.`)
    }
    makeDirectories(place.slice(0, place.lastIndexOf("/")) || "/")
    fs.writeFile(place, content)
    return { path: place, bytes: content.length }
  }

  const remove = (path: string, recursive: boolean): Json => {
    const place = changeable(path)
    const removeTree = (path: string, stat: Stat): number => {
      if (!fs.isDir(stat.mode)) {
        fs.unlink(path)
        return 1
      }
      const names = fs.readdir(path).filter((name) => name !== "." && name !== "..")
      if (names.length > 0 && !recursive) {
        fail(
          "not-empty",
          `Expected an empty directory, found ${names.length} entries in ${path}. Set recursive to remove them.`,
        )
      }
      const removed = names.reduce(
        (sum, name) => sum + removeTree(`${path}/${name}`, found(`${path}/${name}`, "lstat")),
        1,
      )
      fs.rmdir(path)
      return removed
    }
    return { path: place, removed: removeTree(place, found(place, "lstat")) }
  }

  const act = (request: FileRequest): Json => {
    switch (request.type) {
      case "list":
        return list(request.path)
      case "read":
        return read(request.path)
      case "write":
        return write(request.path, decoded(request.content, request.encoding))
      case "mkdir": {
        const place = changeable(request.path)
        makeDirectories(place)
        return { path: place }
      }
      case "remove":
        return remove(request.path, request.recursive)
    }
  }

  return (request) => {
    try {
      return act(request)
    } catch (cause) {
      if (!(cause instanceof fs.ErrnoError)) throw cause
      throw refusal("io-error", `${request.type} ${request.path}: ${REASONS[cause.errno] ?? `error ${cause.errno}`}.`)
    }
  }
}

/** Emscripten's error numbers (WASI's), in words. */
const REASONS: { readonly [errno: number]: string } = {
  2: "permission denied",
  10: "it is in use; is it the directory that Python stands in?",
  32: "there are too many links on the way",
  37: "a name is too long",
  51: "there is no space left in the session's file system",
  63: "operation not permitted",
}

const fail = (code: string, message: string): never => {
  throw refusal(code, message)
}

/** UTF-8 as text, anything else as base64. */
const encoded = (bytes: Uint8Array): { readonly content: string; readonly encoding: "utf-8" | "base64" } => {
  try {
    return { content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), encoding: "utf-8" }
  } catch {
    let binary = ""
    for (let start = 0; start < bytes.length; start += 0x8000) {
      binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
    }
    return { content: btoa(binary), encoding: "base64" }
  }
}

const decoded = (content: string, encoding: "utf-8" | "base64"): Uint8Array => {
  if (encoding === "utf-8") return new TextEncoder().encode(content)
  try {
    return Uint8Array.from(atob(content), (char) => char.charCodeAt(0))
  } catch {
    throw refusal("bad-base64", "Expected content in base64, found something else.")
  }
}

import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as Grants from "../../src/plugins/manifest/Grants.ts"
import type * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { bareManifest } from "./fixtures.ts"

const at = { directory: "/plugins/sample", workspace: "/project" }

const asking = (permissions: Partial<Manifest.Manifest["permissions"]>): Manifest.Manifest => ({
  ...bareManifest,
  permissions: { read: [], run: [], ...permissions },
})

const granted = (permissions: Partial<Manifest.Manifest["permissions"]>, extra: Partial<Grants.Grants> = {}) =>
  Either.getOrThrow(Grants.resolve(asking(permissions), { ...at, extra }))

const refused = (permissions: Partial<Manifest.Manifest["permissions"]>, extra: Partial<Grants.Grants> = {}) =>
  Either.match(Grants.resolve(asking(permissions), { ...at, extra }), {
    onLeft: ({ message }) =>
      message
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
    onRight: () => [],
  })

const nothing: Grants.Grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }

describe("resolve", () => {
  it("a plugin that asks for nothing is granted nothing, whatever is offered", () => {
    expect(granted({}, { read: ["/data"], net: ["example.org"], runAny: true })).toEqual(nothing)
  })

  it("the dot is the workspace; a relative path is in the plugin's directory; each place counts once", () => {
    expect(granted({ read: [".", "./", "data", "/project/notes"], write: ["."] })).toEqual({
      ...nothing,
      read: ["/project", "/plugins/sample/data", "/project/notes"],
      write: ["/project"],
    })
  })

  it("a relative path never leads into the workspace, even where the plugin's copy is kept in it", () => {
    const granting = { directory: "/project/.log/plugins/sample", workspace: "/project" }
    const resolve = (permissions: Partial<Manifest.Manifest["permissions"]>, extra: Partial<Grants.Grants> = {}) =>
      Grants.resolve(asking(permissions), { ...granting, extra })
    for (const permissions of [{ read: [".."] }, { read: ["../../../src"] }, { write: [".."] }, { write: ["data"] }]) {
      expect(Either.isLeft(resolve(permissions))).toBe(true)
    }
    expect(Either.getLeft(resolve({ write: ["../.."] }))).toMatchObject({
      value: {
        message: expect.stringContaining(
          '/project/.log lies in the workspace, which a relative path other than "." may not name',
        ),
      },
    })
    expect(Either.getOrThrow(resolve({ read: [".", "data", "/project/src"], write: ["."] }))).toMatchObject({
      read: ["/project", "/project/.log/plugins/sample/data", "/project/src"],
    })
    expect(Either.isRight(resolve({ write: ["data"] }, { write: ["/project/.log/plugins/sample/data"] }))).toBe(true)
  })

  it("named commands need no grant; any command does", () => {
    expect(granted({ run: ["git"] })).toEqual({ ...nothing, run: ["git"] })
    expect(refused({ run: ["."] })).toEqual([
      `permissions.run asks for ".": it means any command; --grant-run-any grants it`,
    ])
    expect(granted({ run: [".", "git"] }, { runAny: true })).toEqual({ ...nothing, run: ["git"], runAny: true })
  })

  it("any command covers named ones, and a command may be granted by its name", () => {
    const earlier = { read: [], write: [], net: [], env: [], run: [] }
    const update = (extra: Parameters<typeof Grants.resolve>[1]["extra"]) =>
      Grants.decideGrants(asking({ run: ["git", "ls"] }), { ...at, earlier, extra: extra ?? {} })
    expect(update({}).refusals.map(({ flag }) => flag)).toEqual(["--grant-run git", "--grant-run ls"])
    expect(update({ run: ["git"] })).toMatchObject({ grants: { run: ["git"] }, refusals: [{ asked: "ls" }] })
    expect(update({ runAny: true })).toMatchObject({ grants: { run: ["git", "ls"], runAny: false }, refusals: [] })
  })

  it("an update has what the version before asked for, and its own directory; all else needs a grant by name", () => {
    const earlier = { read: ["."], write: [], net: [], env: [], run: ["git"] }
    const wants = asking({ read: [".", "data", "/project/x"], write: ["."], run: ["git", "ls"] })
    const { grants, refusals } = Grants.decideGrants(wants, { ...at, earlier })
    expect(grants).toEqual({ ...nothing, read: ["/project", "/plugins/sample/data"], run: ["git"] })
    expect(refusals.map(({ field, asked, flag }) => [field, asked, flag])).toEqual([
      ["permissions.read", "/project/x", "--grant-read /project/x"],
      ["permissions.write", ".", "--grant-write /project"],
      ["permissions.run", "ls", "--grant-run ls"],
    ])
  })

  it("what was taken back needs a grant by name, and so does what lies in it or around it", () => {
    const revoked = { read: ["/project/secret"], run: ["git"] }
    const settle = (read: ReadonlyArray<string>, extra = {}) =>
      Grants.decideGrants(asking({ read, run: ["git"] }), { ...at, revoked, extra })
    for (const place of [".", "/project/secret", "/project/secret/deep"]) {
      expect(settle([place]).refusals.map(({ asked }) => asked)).toEqual([place, "git"])
    }
    expect(settle(["/project/other"], { run: ["git"] }).refusals).toEqual([])
    expect(settle(["/project/secret/deep"], { read: ["/project/secret/deep"], run: ["git"] }).refusals).toEqual([])
  })

  it("names an option as a shell takes it", () => {
    expect(refused({ read: ["/it's here"] })).toEqual([
      expect.stringContaining("--grant-read '/it'\\''s here' grants it"),
    ])
  })

  it("everything that needs a grant is named at once, with the flag that grants it", () => {
    expect(
      refused({
        read: ["/data", "../other", "/workshop"],
        write: ["out"],
        run: ["."],
        net: ["example.org:443"],
        env: ["TOKEN"],
      }),
    ).toEqual([
      `permissions.read asks for "/data": /data lies outside the workspace and the plugin's directory; --grant-read /data grants it`,
      `permissions.read asks for "../other": /plugins/other lies outside the workspace and the plugin's directory; --grant-read /plugins/other grants it`,
      `permissions.read asks for "/workshop": /workshop lies outside the workspace and the plugin's directory; --grant-read /workshop grants it`,
      `permissions.write asks for "out": /plugins/sample/out lies outside the workspace; --grant-write /plugins/sample/out grants it`,
      `permissions.net asks for "example.org:443": a host needs an explicit grant; --grant-net example.org:443 grants it`,
      `permissions.env asks for "TOKEN": an environment variable needs an explicit grant; --grant-env TOKEN grants it`,
      `permissions.run asks for ".": it means any command; --grant-run-any grants it`,
    ])
  })

  it("an explicit grant covers what lies inside it, and only what was asked for is granted", () => {
    expect(granted({ read: ["/data/2024"], net: ["a.org"] }, { read: ["/data"], net: ["a.org", "b.org"] })).toEqual({
      ...nothing,
      read: ["/data/2024"],
      net: ["a.org"],
    })
    expect(refused({ read: ["/"] }, { read: ["/data"] })).toHaveLength(1)
  })

  it("what would split a permission flag in two is refused, and no flag is offered for it", () => {
    expect(refused({ read: ["/project/a,/etc", "/project/b\nc"], net: ["a.org,b.org"], env: ["A,B", "A B"] })).toEqual([
      `permissions.read asks for "/project/a,/etc": a path with a comma or a line break cannot be granted`,
      `permissions.read asks for "/project/b\\nc": a path with a comma or a line break cannot be granted`,
      `permissions.net asks for "a.org,b.org": expected a name without commas and line breaks`,
      `permissions.env asks for "A,B": expected a name without commas and line breaks`,
      `permissions.env asks for "A B": expected one variable's name: letters, digits and _`,
    ])
  })
})

import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { built } from "../built.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

describe("a URL where a log in a file is needed", () => {
  it("is refused by hindcast/ai-sdk before the program starts", () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--import", built("record", "process", "aiSdk.js"), "-e", "console.log('began')"],
      {
        cwd: place.directory,
        env: { ...process.env, HINDCAST_LOG: "postgres://me:s3cret@db.example/agents" },
        encoding: "utf8",
      },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr).toContain("HINDCAST_LOG: expected the path of a log in a file")
    expect(stderr).not.toContain("s3cret")
    expect(fs.readdirSync(place.directory)).toEqual([])
  })
})

import { describe, expect, it } from "vitest"
import * as TreePage from "../../src/cli/pages/audit/TreePage.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import * as TreeUse from "../../src/projections/tree/TreeUse.ts"

const use = TreeUse.of([])
const node = (depth: number) => ({
  ...{ taskId: `t${depth}`, depth, agent: "a@1", goal: "x", outcome: null, own: use, all: use },
})

describe("the page of a tree", () => {
  it("indents the tasks below others, and no line is as long as a foreign log's tree is deep", () => {
    const tasks = [0, 1, 2, 100_000].map(node)
    const lines = TreePage.lines(plain, { taskId: "t0", timeline: "main", total: use, tasks }, 120)
    expect(lines.slice(1, 4).map((line) => line.split("t")[0])).toEqual(["", "└ ", "  └ "])
    expect(lines[4]).toContain("(100000) └ t100000")
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(150)
  })
})

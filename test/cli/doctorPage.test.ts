import { expect, it } from "vitest"
import * as DoctorPage from "../../src/cli/record/DoctorPage.ts"
import { plain } from "../../src/cli/terminal/Style.ts"

it("the doctor calls no program reproducible of which it saw nothing", () => {
  const report = { taskId: "one", reproducible: true, findings: [], attempts: [], ownTools: [] }
  expect(DoctorPage.lines(plain, { ...report, requests: 0, reproducible: null })[0]).toMatch(
    /^Nothing seen: task one has no request/,
  )
  expect(DoctorPage.lines(plain, { ...report, requests: 2 })[0]).toMatch(/^Reproducible: 2 requests of task one/)
})

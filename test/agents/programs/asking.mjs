/**
 * A kernel whose agent asks a model of the plugin `gateway`, and resumes its task if an earlier process left it open. It ends by
 * itself once the task is closed.
 *
 * Input: { directory, plugin, grants, hedge }.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fromModel, open } from "../../../dist/promise.js"

const { directory, plugin, grants, hedge } = JSON.parse(fs.readFileSync(0, "utf8"))
const hindcast = await open({
  log: path.join(directory, "log.db"),
  workspace: directory,
  gate: { default: "allow" },
  host: { consent: "flags" },
  onOpenTasks: "resume",
})
const agent = fromModel({
  name: "asker",
  model: "gateway/small",
  retries: 0,
  ...(hedge === undefined ? {} : { hedge }),
})
if (fs.existsSync(path.join(directory, "begun"))) await hindcast.tasks.resume("t", agent)
else {
  await hindcast.plugins.import(plugin, { grants })
  fs.writeFileSync(path.join(directory, "begun"), "")
  await hindcast.tasks.run(agent, { goal: "Go", id: "t" })
}
await hindcast.close()

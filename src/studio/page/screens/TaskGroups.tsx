/** The tasks of a list in groups, with their outcomes and the trend of their net. */
import type { TaskGroup } from "../../wire/Task.ts"
import type { Overview } from "../model/Address.ts"
import { number } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { Sparkline } from "../parts/Sparkline.tsx"

interface GroupsProps {
  readonly groups: ReadonlyArray<TaskGroup>
  readonly address: Overview
}

/**
 * The address of only this group's tasks; null if they are selected already, or if no field of a task names the group.
 */
const within = ({ by, where, ...address }: Overview, key: string | null): Overview | null => {
  if (by !== "agent" && by !== "outcome") return null
  const isIn = `task.${by} == ${JSON.stringify(key)}`
  if (where === isIn || where.endsWith(`) && ${isIn}`)) return null
  return { ...address, by, where: where === "" ? isIn : `(${where}) && ${isIn}` }
}

const nameOf = (by: Overview["by"], key: string | null): string => key ?? (by === "outcome" ? "open" : "unknown")

const GroupName = ({ name, to }: { readonly name: string; readonly to: Overview | null }) =>
  to === null ? (
    <bdi>{name}</bdi>
  ) : (
    <Link to={to} title="Show only these tasks">
      <bdi>{name}</bdi>
    </Link>
  )

export const Groups = ({ groups, address }: GroupsProps) => (
  <div class="scroll">
    <table class="groups">
      <thead>
        <tr>
          <th scope="col">{address.by}</th>
          <th scope="col" class="n">
            tasks
          </th>
          <th scope="col">outcomes</th>
          <th scope="col" class="n">
            mean net
          </th>
          <th scope="col">net, oldest to newest</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ key, tasks, outcomes, mean, trend }) => (
          <tr key={JSON.stringify(key)}>
            <th scope="row">
              <GroupName name={nameOf(address.by, key)} to={within(address, key)} />
            </th>
            <td class="n">{tasks}</td>
            <td>
              {Object.entries(outcomes)
                .map(([outcome, times]) => `${outcome} ${times}`)
                .join(" · ")}
            </td>
            <td class="n">{mean === null ? "" : number(mean)}</td>
            <td>
              <Sparkline
                points={trend.map((value, position) => ({ position, value }))}
                at={trend.length}
                label={`Net of ${nameOf(address.by, key)}`}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

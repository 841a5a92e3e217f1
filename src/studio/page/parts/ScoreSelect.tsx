/** The choice of the scoring whose scores all screens show. */
import { oneLine } from "../../../values/PlainText.ts"
import { useStudio } from "./context.ts"
import { useAnswer } from "./useAnswer.ts"
import { useThrottled } from "./useThrottled.ts"

/** Of a score set's id, its end is shown: the command line takes it, too. */
const SHOWN = 12

/** Shown where there is a choice: at least two scorings, or one that was chosen. */
export const ScoreSelect = ({ timeline }: { readonly timeline: string }) => {
  const studio = useStudio()
  const version = useThrottled(studio.tasksVersion.value)
  const { answer } = useAnswer("scorings", { timeline }, version)
  const chosen = studio.scores.value
  const rows = answer?.rows ?? []
  if (rows.length < 2 && chosen === "") return null
  const isListed = chosen === "" || rows.some(({ name }) => name === chosen)
  return (
    <label class="scores">
      <span>score</span>{" "}
      <select
        value={chosen}
        title="Which score every screen shows"
        onChange={({ currentTarget }) => studio.chooseScores(currentTarget.value)}
      >
        <option value="">that counts</option>
        {rows.map(({ name, tasks }) => (
          <option key={name} value={name}>
            by {oneLine(name)} ({tasks.toLocaleString("en")})
          </option>
        ))}
        {isListed ? null : <option value={chosen}>by {oneLine(chosen).slice(-SHOWN)}</option>}
      </select>
    </label>
  )
}

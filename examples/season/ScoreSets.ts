/** Re-scores the season's games, so that its log has score sets to compare. */
import { Effect } from "effect"
import { Registry, Rubric, Scoring } from "hindcast"
import { inPackage } from "../PackageFiles.ts"
import type { Plan } from "./Plan.ts"

/**
 * Scores all games of The Lost Key as two score sets: by the plugin's own measures (pointer `baseline`), and by the
 * stricter example rubric (pointer `official`).
 */
export const rescore = ({ before, cutOff, after }: Plan) =>
  Effect.gen(function* () {
    const scoring = yield* Scoring.Scoring
    const { manifest } = yield* (yield* Registry.Registry).manifest("text-room")
    const tasks = [...before, ...cutOff, ...after].filter(({ world }) => world === "the-lost-key").map(({ id }) => id)
    const shipped = { ...Rubric.ofManifests([manifest]), name: "shipped" }
    const stricter = yield* Rubric.load(inPackage("examples", "rubrics", "stricter.yaml"))
    const sets = [
      { pointer: "baseline", rubric: shipped },
      { pointer: "official", rubric: stricter },
    ]
    return yield* Effect.forEach(sets, ({ pointer, rubric }) =>
      Effect.gen(function* () {
        const { scoreSetId, label } = yield* scoring.rescore({ rubric, tasks })
        yield* scoring.promote({ pointer, scoreSetIds: [scoreSetId], actor: ACTOR })
        return { pointer, scoreSetId, label, tasks: tasks.length }
      }),
    )
  })

const ACTOR = "human:reviewer"

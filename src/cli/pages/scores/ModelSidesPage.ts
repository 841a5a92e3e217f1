/** Formats how a comparison divides the tasks of a log between two models. */
import type { ModelSide, ModelSides } from "../../../projections/comparison/ModelSides.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { count } from "../../terminal/Text.ts"

export const around = (
  style: Style,
  scoring: string,
  { a, b, askedBoth, sameSeed }: ModelSides,
  compared: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  `Tasks by model, scored by ${style.name(oneLine(scoring))}`,
  ...Table.facts(style, [
    ["A", sideOf(style, a)],
    ["B", sideOf(style, b)],
    ...(askedBoth === 0
      ? []
      : [
          [
            "both",
            style.warn(
              `${count(askedBoth, "task")} used both models, and ${askedBoth === 1 ? "counts" : "count"} for neither`,
            ),
          ] as const,
        ]),
    [
      "paired by",
      `goal and environment${sameSeed ? ", and seed" : ", whatever the seed"}; a pair has the name of its task of A`,
    ],
  ]),
  "",
  ...compared,
  style.dim("A model may answer differently next time: this difference is between these runs only."),
]

const sideOf = (style: Style, { model, tasks, paired, unpaired, unscored, unreadable }: ModelSide): string =>
  [
    `${style.name(oneLine(model))}: ${count(tasks, "task")}, ${paired} paired`,
    ...(unpaired === 0 ? [] : [style.warn(`${unpaired} without a counterpart`)]),
    ...(unscored === 0 ? [] : [style.warn(`${unscored} without a score`)]),
    ...(unreadable === 0 ? [] : [style.warn(`${unreadable} whose goal cannot be read`)]),
  ].join(", ")

/** The order in which a task's commands start: by priority, equal ones in the order of their requests. */

export interface Place {
  /** The order holds within a task; tasks do not wait for each other. */
  readonly task: string
  readonly arrived: number
  lane: string | undefined
  priority: number
  /**
   * - `coming`: on its way to the queue, while earlier steps are recorded
   * - `waiting`: in the queue
   * - `starting`: has its turn, while its dispatch is recorded
   * - `gone`: dispatched, ended or waiting for a person; nothing waits for it
   */
  state: "coming" | "waiting" | "starting" | "gone"
}

export interface CommandOrder {
  readonly arrive: (task: string) => Place
  readonly move: (place: Place, state: Place["state"]) => void
  /**
   * Whether no other command of the lane is starting, and no earlier one of the same or a higher priority is coming.
   * The queue orders those that wait.
   */
  readonly mayStart: (place: Place) => boolean
  /** Whether a command precedes all others of its task and lane that have not started. */
  readonly isFirst: (place: Place) => boolean
  /** Whether all commands that precede it are starting already. */
  readonly isNext: (place: Place) => boolean
}

export const make = (): CommandOrder => {
  const byTask = new Map<string, Set<Place>>()
  let arrivals = 0

  /** Whether a condition holds for no other place of the task that may be in the same lane. */
  const none = (place: Place, condition: (other: Place) => boolean): boolean => {
    for (const other of byTask.get(place.task) ?? []) {
      const meet = other.lane === undefined || place.lane === undefined || other.lane === place.lane
      if (other !== place && meet && condition(other)) return false
    }
    return true
  }

  return {
    arrive: (task) => {
      const place: Place = { task, arrived: ++arrivals, lane: undefined, priority: 0, state: "coming" }
      const places = byTask.get(task) ?? new Set()
      byTask.set(task, places.add(place))
      return place
    },
    move: (place, state) => {
      place.state = state
      const places = byTask.get(place.task) ?? new Set()
      if (state === "gone") {
        places.delete(place)
        if (places.size === 0) byTask.delete(place.task)
      } else {
        byTask.set(place.task, places.add(place))
      }
    },
    mayStart: (place) =>
      none(place, (other) => other.state === "starting" || (other.state === "coming" && precedes(other, place))),
    isFirst: (place) => none(place, (other) => precedes(other, place)),
    isNext: (place) => none(place, (other) => other.state !== "starting" && precedes(other, place)),
  }
}

/** A command whose actuator is not known yet may have any priority. */
const precedes = (one: Pick<Place, "arrived" | "lane" | "priority">, other: Place): boolean =>
  one.arrived < other.arrived && (one.lane === undefined || one.priority >= other.priority)

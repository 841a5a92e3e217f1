/** The lander and its ground as rigid bodies of Rapier. */
import {
  type Collider,
  ColliderDesc,
  init,
  type RigidBody,
  RigidBodyDesc,
  type Vector,
  World,
} from "./vendor/rapier.mjs"

await init()

/** A fixed round rock on the ground. */
export type Boulder = { readonly x: number; readonly radius: number }

/** The start of a flight, in metres, metres per second and radians. The ground is at height 0. */
export interface Start {
  readonly x: number
  readonly y: number
  readonly vx: number
  readonly vy: number
  readonly angle: number
  readonly boulders: ReadonlyArray<Boulder>
}

/** The lander's place, motion and contacts. */
export type Pose = {
  readonly x: number
  readonly y: number
  readonly vx: number
  readonly vy: number
  readonly angle: number
  readonly spin: number
  /** Whether the left and the right leg touch the ground. */
  readonly left: boolean
  readonly right: boolean
  /** Whether the hull touches anything, or a leg a boulder. */
  readonly hit: boolean
}

/** The engines that run during a step. */
export type Engines = "none" | "left" | "main" | "right"

/** A flight in progress. It holds WebAssembly memory until `free`. */
export interface Flight {
  readonly pose: () => Pose
  /** Simulates a thirtieth of a second. */
  readonly step: (engines: Engines) => void
  /** Everything needed to continue exactly from here, in base64. */
  readonly snapshot: () => string
  readonly free: () => void
}

/** Half width and half height of the hull, in metres. */
export const HULL = { x: 0.5, y: 0.4 } as const

/** Distance of the feet below the lander's centre. */
export const FEET = 0.8

const LEG = { x: 0.12, y: 0.2 } as const
const LEG_OFFSET = 0.5

/** The Moon's, in metres per second squared. */
const GRAVITY = { x: 0, y: -1.62 } as const
const MAIN_ACCELERATION = 4
const SIDE_ACCELERATION = 0.3
/** In radians per second squared. */
const TURN_ACCELERATION = 2.5

const TIMESTEP = 1 / 60
const SUBSTEPS = 2

/** Begins a flight. */
export const launch = (start: Start): Flight => {
  const world = new World(GRAVITY)
  world.timestep = TIMESTEP
  const ground = world.createRigidBody(RigidBodyDesc.fixed())
  const body = world.createRigidBody(
    RigidBodyDesc.dynamic()
      .setTranslation(start.x, start.y)
      .setRotation(start.angle)
      .setLinvel(start.vx, start.vy)
      .setCanSleep(false),
  )
  const leg = (side: number) =>
    ColliderDesc.cuboid(LEG.x, LEG.y)
      .setTranslation(side * LEG_OFFSET, LEG.y - FEET)
      .setDensity(0.5)
      .setFriction(1)
  // `flight` relies on this order.
  world.createCollider(ColliderDesc.cuboid(100, 5).setTranslation(0, -5).setFriction(1), ground)
  world.createCollider(ColliderDesc.cuboid(HULL.x, HULL.y).setDensity(1), body)
  world.createCollider(leg(-1), body)
  world.createCollider(leg(1), body)
  world.createCollider(ColliderDesc.ball(0.01).setTranslation(0, 1).setDensity(0).setSensor(true), body)
  for (const { x, radius } of start.boulders)
    world.createCollider(ColliderDesc.ball(radius).setTranslation(x, 0), ground)
  return flight(world)
}

/** Continues from a snapshot. Throws if it is invalid. */
export const resume = (snapshot: string): Flight => {
  const world = World.restoreSnapshot(Uint8Array.from(atob(snapshot), (character) => character.charCodeAt(0)))
  if (world === null) throw new Error("Expected a snapshot of a flight, in base64.")
  return flight(world)
}

const flight = (world: World): Flight => {
  const { body, ground, hull, left, right, nose, boulders } = partsOf(world)
  const touches = (a: Collider, b: Collider): boolean => {
    let isTouching = false
    world.contactPair(a, b, (manifold) => {
      for (let index = 0; index < manifold.numContacts(); index++) isTouching ||= manifold.contactDist(index) < 0.01
    })
    return isTouching
  }
  /** The lander's upward direction. It comes from Rapier, because JavaScript's sine differs between platforms. */
  const upward = (): Vector => {
    const { x, y } = body.translation()
    const tip = nose.translation()
    return { x: tip.x - x, y: tip.y - y }
  }
  const push = (engines: Engines): void => {
    if (engines === "none") return
    const up = upward()
    if (engines === "main") {
      const impulse = body.mass() * MAIN_ACCELERATION * TIMESTEP
      body.applyImpulse({ x: up.x * impulse, y: up.y * impulse }, true)
      return
    }
    const side = engines === "left" ? 1 : -1
    const impulse = side * body.mass() * SIDE_ACCELERATION * TIMESTEP
    body.applyImpulse({ x: up.y * impulse, y: -up.x * impulse }, true)
    body.applyTorqueImpulse(-side * body.principalInertia() * TURN_ACCELERATION * TIMESTEP, true)
  }
  return {
    pose: () => {
      const { x, y } = body.translation()
      const { x: vx, y: vy } = body.linvel()
      const hit = [hull, left, right].some((part) => boulders.some((boulder) => touches(part, boulder)))
      return {
        x,
        y,
        vx,
        vy,
        angle: body.rotation(),
        spin: body.angvel(),
        left: touches(left, ground),
        right: touches(right, ground),
        hit: hit || touches(hull, ground),
      }
    },
    step: (engines) => {
      for (let substep = 0; substep < SUBSTEPS; substep++) {
        push(engines)
        world.step()
      }
    },
    snapshot: () => btoa(String.fromCharCode(...world.takeSnapshot())),
    free: () => world.free(),
  }
}

/** The parts of a world from `launch`, also after restoring a snapshot. */
const partsOf = (world: World) => {
  const bodies: Array<RigidBody> = []
  world.forEachRigidBody((body) => bodies.push(body))
  const colliders: Array<Collider> = []
  world.forEachCollider((collider) => colliders.push(collider))
  const body = bodies.find((candidate) => !candidate.isFixed())
  const [ground, hull, left, right, nose, ...boulders] = colliders
  if (
    body === undefined ||
    ground === undefined ||
    hull === undefined ||
    left === undefined ||
    right === undefined ||
    nose === undefined
  )
    throw new Error("Expected the ground, a hull, two legs and a nose: the snapshot is not one of a flight.")
  return { body, ground, hull, left, right, nose, boulders }
}

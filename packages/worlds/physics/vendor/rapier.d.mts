/**
 * The part of Rapier that is used here (https://rapier.rs/javascript2d). `rapier.mjs` is put beside this file by
 * `vendor.mjs` in the folder above.
 */

export interface Vector {
  readonly x: number
  readonly y: number
}

export interface RigidBody {
  readonly isFixed: () => boolean
  readonly translation: () => Vector
  /** In radians. */
  readonly rotation: () => number
  readonly linvel: () => Vector
  readonly angvel: () => number
  readonly mass: () => number
  readonly principalInertia: () => number
  readonly applyImpulse: (impulse: Vector, wakeUp: boolean) => void
  readonly applyTorqueImpulse: (impulse: number, wakeUp: boolean) => void
}

export interface Collider {
  readonly translation: () => Vector
}

export class RigidBodyDesc {
  static dynamic(): RigidBodyDesc
  static fixed(): RigidBodyDesc
  setTranslation(x: number, y: number): this
  setRotation(angle: number): this
  setLinvel(x: number, y: number): this
  setCanSleep(can: boolean): this
}

export class ColliderDesc {
  static cuboid(halfWidth: number, halfHeight: number): ColliderDesc
  static ball(radius: number): ColliderDesc
  setTranslation(x: number, y: number): this
  setDensity(density: number): this
  setFriction(friction: number): this
  setSensor(isSensor: boolean): this
}

export class World {
  constructor(gravity: Vector)
  static restoreSnapshot(snapshot: Uint8Array): World | null
  timestep: number
  createRigidBody(description: RigidBodyDesc): RigidBody
  createCollider(description: ColliderDesc, parent?: RigidBody): Collider
  /** In the order in which they were created. */
  forEachCollider(visit: (collider: Collider) => void): void
  forEachRigidBody(visit: (body: RigidBody) => void): void
  contactPair(
    a: Collider,
    b: Collider,
    visit: (manifold: { numContacts(): number; contactDist(index: number): number }) => void,
  ): void
  step(): void
  takeSnapshot(): Uint8Array
  free(): void
}

/** Compiles the WebAssembly that is in the module. To be awaited before anything else is used. */
export function init(): Promise<void>

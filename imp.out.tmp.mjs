var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all4) => {
  for (var name in all4)
    __defProp(target, name, { get: all4[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));

// node_modules/effect/dist/esm/Function.js
var isFunction = (input) => typeof input === "function";
var dual = function(arity, body) {
  if (typeof arity === "function") {
    return function() {
      if (arity(arguments)) {
        return body.apply(this, arguments);
      }
      return (self) => body(self, ...arguments);
    };
  }
  switch (arity) {
    case 0:
    case 1:
      throw new RangeError(`Invalid arity ${arity}`);
    case 2:
      return function(a, b) {
        if (arguments.length >= 2) {
          return body(a, b);
        }
        return function(self) {
          return body(self, a);
        };
      };
    case 3:
      return function(a, b, c) {
        if (arguments.length >= 3) {
          return body(a, b, c);
        }
        return function(self) {
          return body(self, a, b);
        };
      };
    case 4:
      return function(a, b, c, d) {
        if (arguments.length >= 4) {
          return body(a, b, c, d);
        }
        return function(self) {
          return body(self, a, b, c);
        };
      };
    case 5:
      return function(a, b, c, d, e) {
        if (arguments.length >= 5) {
          return body(a, b, c, d, e);
        }
        return function(self) {
          return body(self, a, b, c, d);
        };
      };
    default:
      return function() {
        if (arguments.length >= arity) {
          return body.apply(this, arguments);
        }
        const args2 = arguments;
        return function(self) {
          return body(self, ...args2);
        };
      };
  }
};
var identity = (a) => a;
var constant = (value2) => () => value2;
var constTrue = /* @__PURE__ */ constant(true);
var constFalse = /* @__PURE__ */ constant(false);
var constUndefined = /* @__PURE__ */ constant(void 0);
var constVoid = constUndefined;
function pipe(a, ab, bc, cd, de, ef, fg, gh, hi) {
  switch (arguments.length) {
    case 1:
      return a;
    case 2:
      return ab(a);
    case 3:
      return bc(ab(a));
    case 4:
      return cd(bc(ab(a)));
    case 5:
      return de(cd(bc(ab(a))));
    case 6:
      return ef(de(cd(bc(ab(a)))));
    case 7:
      return fg(ef(de(cd(bc(ab(a))))));
    case 8:
      return gh(fg(ef(de(cd(bc(ab(a)))))));
    case 9:
      return hi(gh(fg(ef(de(cd(bc(ab(a))))))));
    default: {
      let ret = arguments[0];
      for (let i = 1; i < arguments.length; i++) {
        ret = arguments[i](ret);
      }
      return ret;
    }
  }
}

// node_modules/effect/dist/esm/Equivalence.js
var make = (isEquivalent) => (self, that) => self === that || isEquivalent(self, that);
var mapInput = /* @__PURE__ */ dual(2, (self, f) => make((x, y) => self(f(x), f(y))));
var array = (item) => make((self, that) => {
  if (self.length !== that.length) {
    return false;
  }
  for (let i = 0; i < self.length; i++) {
    const isEq = item(self[i], that[i]);
    if (!isEq) {
      return false;
    }
  }
  return true;
});

// node_modules/effect/dist/esm/internal/doNotation.js
var let_ = (map12) => dual(3, (self, name, f) => map12(self, (a) => ({
  ...a,
  [name]: f(a)
})));
var bindTo = (map12) => dual(2, (self, name) => map12(self, (a) => ({
  [name]: a
})));
var bind = (map12, flatMap10) => dual(3, (self, name, f) => flatMap10(self, (a) => map12(f(a), (b) => ({
  ...a,
  [name]: b
}))));

// node_modules/effect/dist/esm/GlobalValue.js
var globalStoreId = `effect/GlobalValue`;
var globalStore;
var globalValue = (id, compute) => {
  if (!globalStore) {
    globalThis[globalStoreId] ??= /* @__PURE__ */ new Map();
    globalStore = globalThis[globalStoreId];
  }
  if (!globalStore.has(id)) {
    globalStore.set(id, compute());
  }
  return globalStore.get(id);
};

// node_modules/effect/dist/esm/Predicate.js
var isString = (input) => typeof input === "string";
var isNumber = (input) => typeof input === "number";
var isBigInt = (input) => typeof input === "bigint";
var isFunction2 = isFunction;
var isRecordOrArray = (input) => typeof input === "object" && input !== null;
var isObject = (input) => isRecordOrArray(input) || isFunction2(input);
var hasProperty = /* @__PURE__ */ dual(2, (self, property) => isObject(self) && property in self);
var isTagged = /* @__PURE__ */ dual(2, (self, tag) => hasProperty(self, "_tag") && self["_tag"] === tag);
var isNullable = (input) => input === null || input === void 0;
var isIterable = (input) => typeof input === "string" || hasProperty(input, Symbol.iterator);
var isPromiseLike = (input) => hasProperty(input, "then") && isFunction2(input.then);

// node_modules/effect/dist/esm/internal/errors.js
var getBugErrorMessage = (message) => `BUG: ${message} - please report an issue at https://github.com/Effect-TS/effect/issues`;

// node_modules/effect/dist/esm/Utils.js
var GenKindTypeId = /* @__PURE__ */ Symbol.for("effect/Gen/GenKind");
var GenKindImpl = class {
  value;
  constructor(value2) {
    this.value = value2;
  }
  /**
   * @since 2.0.0
   */
  get _F() {
    return identity;
  }
  /**
   * @since 2.0.0
   */
  get _R() {
    return (_) => _;
  }
  /**
   * @since 2.0.0
   */
  get _O() {
    return (_) => _;
  }
  /**
   * @since 2.0.0
   */
  get _E() {
    return (_) => _;
  }
  /**
   * @since 2.0.0
   */
  [GenKindTypeId] = GenKindTypeId;
  /**
   * @since 2.0.0
   */
  [Symbol.iterator]() {
    return new SingleShotGen(this);
  }
};
var SingleShotGen = class _SingleShotGen {
  self;
  called = false;
  constructor(self) {
    this.self = self;
  }
  /**
   * @since 2.0.0
   */
  next(a) {
    return this.called ? {
      value: a,
      done: true
    } : (this.called = true, {
      value: this.self,
      done: false
    });
  }
  /**
   * @since 2.0.0
   */
  return(a) {
    return {
      value: a,
      done: true
    };
  }
  /**
   * @since 2.0.0
   */
  throw(e) {
    throw e;
  }
  /**
   * @since 2.0.0
   */
  [Symbol.iterator]() {
    return new _SingleShotGen(this.self);
  }
};
var defaultIncHi = 335903614;
var defaultIncLo = 4150755663;
var MUL_HI = 1481765933 >>> 0;
var MUL_LO = 1284865837 >>> 0;
var BIT_53 = 9007199254740992;
var BIT_27 = 134217728;
var PCGRandom = class {
  _state;
  constructor(seedHi, seedLo, incHi, incLo) {
    if (isNullable(seedLo) && isNullable(seedHi)) {
      seedLo = Math.random() * 4294967295 >>> 0;
      seedHi = 0;
    } else if (isNullable(seedLo)) {
      seedLo = seedHi;
      seedHi = 0;
    }
    if (isNullable(incLo) && isNullable(incHi)) {
      incLo = this._state ? this._state[3] : defaultIncLo;
      incHi = this._state ? this._state[2] : defaultIncHi;
    } else if (isNullable(incLo)) {
      incLo = incHi;
      incHi = 0;
    }
    this._state = new Int32Array([0, 0, incHi >>> 0, ((incLo || 0) | 1) >>> 0]);
    this._next();
    add64(this._state, this._state[0], this._state[1], seedHi >>> 0, seedLo >>> 0);
    this._next();
    return this;
  }
  /**
   * Returns a copy of the internal state of this random number generator as a
   * JavaScript Array.
   *
   * @category getters
   * @since 2.0.0
   */
  getState() {
    return [this._state[0], this._state[1], this._state[2], this._state[3]];
  }
  /**
   * Restore state previously retrieved using `getState()`.
   *
   * @since 2.0.0
   */
  setState(state) {
    this._state[0] = state[0];
    this._state[1] = state[1];
    this._state[2] = state[2];
    this._state[3] = state[3] | 1;
  }
  /**
   * Get a uniformly distributed 32 bit integer between [0, max).
   *
   * @category getter
   * @since 2.0.0
   */
  integer(max5) {
    return Math.round(this.number() * Number.MAX_SAFE_INTEGER) % max5;
  }
  /**
   * Get a uniformly distributed IEEE-754 double between 0.0 and 1.0, with
   * 53 bits of precision (every bit of the mantissa is randomized).
   *
   * @category getters
   * @since 2.0.0
   */
  number() {
    const hi = (this._next() & 67108863) * 1;
    const lo = (this._next() & 134217727) * 1;
    return (hi * BIT_27 + lo) / BIT_53;
  }
  /** @internal */
  _next() {
    const oldHi = this._state[0] >>> 0;
    const oldLo = this._state[1] >>> 0;
    mul64(this._state, oldHi, oldLo, MUL_HI, MUL_LO);
    add64(this._state, this._state[0], this._state[1], this._state[2], this._state[3]);
    let xsHi = oldHi >>> 18;
    let xsLo = (oldLo >>> 18 | oldHi << 14) >>> 0;
    xsHi = (xsHi ^ oldHi) >>> 0;
    xsLo = (xsLo ^ oldLo) >>> 0;
    const xorshifted = (xsLo >>> 27 | xsHi << 5) >>> 0;
    const rot = oldHi >>> 27;
    const rot2 = (-rot >>> 0 & 31) >>> 0;
    return (xorshifted >>> rot | xorshifted << rot2) >>> 0;
  }
};
function mul64(out, aHi, aLo, bHi, bLo) {
  let c1 = (aLo >>> 16) * (bLo & 65535) >>> 0;
  let c0 = (aLo & 65535) * (bLo >>> 16) >>> 0;
  let lo = (aLo & 65535) * (bLo & 65535) >>> 0;
  let hi = (aLo >>> 16) * (bLo >>> 16) + ((c0 >>> 16) + (c1 >>> 16)) >>> 0;
  c0 = c0 << 16 >>> 0;
  lo = lo + c0 >>> 0;
  if (lo >>> 0 < c0 >>> 0) {
    hi = hi + 1 >>> 0;
  }
  c1 = c1 << 16 >>> 0;
  lo = lo + c1 >>> 0;
  if (lo >>> 0 < c1 >>> 0) {
    hi = hi + 1 >>> 0;
  }
  hi = hi + Math.imul(aLo, bHi) >>> 0;
  hi = hi + Math.imul(aHi, bLo) >>> 0;
  out[0] = hi;
  out[1] = lo;
}
function add64(out, aHi, aLo, bHi, bLo) {
  let hi = aHi + bHi >>> 0;
  const lo = aLo + bLo >>> 0;
  if (lo >>> 0 < aLo >>> 0) {
    hi = hi + 1 | 0;
  }
  out[0] = hi;
  out[1] = lo;
}
var YieldWrapTypeId = /* @__PURE__ */ Symbol.for("effect/Utils/YieldWrap");
var YieldWrap = class {
  /**
   * @since 3.0.6
   */
  #value;
  constructor(value2) {
    this.#value = value2;
  }
  /**
   * @since 3.0.6
   */
  [YieldWrapTypeId]() {
    return this.#value;
  }
};
function yieldWrapGet(self) {
  if (typeof self === "object" && self !== null && YieldWrapTypeId in self) {
    return self[YieldWrapTypeId]();
  }
  throw new Error(getBugErrorMessage("yieldWrapGet"));
}
var structuralRegionState = /* @__PURE__ */ globalValue("effect/Utils/isStructuralRegion", () => ({
  enabled: false,
  tester: void 0
}));
var standard = {
  effect_internal_function: (body) => {
    return body();
  }
};
var forced = {
  effect_internal_function: (body) => {
    try {
      return body();
    } finally {
    }
  }
};
var isNotOptimizedAway = /* @__PURE__ */ standard.effect_internal_function(() => new Error().stack)?.includes("effect_internal_function") === true;
var internalCall = isNotOptimizedAway ? standard.effect_internal_function : forced.effect_internal_function;
var genConstructor = function* () {
}.constructor;
var isGeneratorFunction = (u) => isObject(u) && u.constructor === genConstructor;

// node_modules/effect/dist/esm/Hash.js
var randomHashCache = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Hash/randomHashCache"), () => /* @__PURE__ */ new WeakMap());
var symbol = /* @__PURE__ */ Symbol.for("effect/Hash");
var hash = (self) => {
  if (structuralRegionState.enabled === true) {
    return 0;
  }
  switch (typeof self) {
    case "number":
      return number(self);
    case "bigint":
      return string(self.toString(10));
    case "boolean":
      return string(String(self));
    case "symbol":
      return string(String(self));
    case "string":
      return string(self);
    case "undefined":
      return string("undefined");
    case "function":
    case "object": {
      if (self === null) {
        return string("null");
      } else if (self instanceof Date) {
        if (Number.isNaN(self.getTime())) {
          return string("Invalid Date");
        }
        return hash(self.toISOString());
      } else if (self instanceof URL) {
        return hash(self.href);
      } else if (isHash(self)) {
        return self[symbol]();
      } else {
        return random(self);
      }
    }
    default:
      throw new Error(`BUG: unhandled typeof ${typeof self} - please report an issue at https://github.com/Effect-TS/effect/issues`);
  }
};
var random = (self) => {
  if (!randomHashCache.has(self)) {
    randomHashCache.set(self, number(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)));
  }
  return randomHashCache.get(self);
};
var combine = (b) => (self) => self * 53 ^ b;
var optimize = (n) => n & 3221225471 | n >>> 1 & 1073741824;
var isHash = (u) => hasProperty(u, symbol);
var number = (n) => {
  if (n !== n || n === Infinity) {
    return 0;
  }
  let h = n | 0;
  if (h !== n) {
    h ^= n * 4294967295;
  }
  while (n > 4294967295) {
    h ^= n /= 4294967295;
  }
  return optimize(h);
};
var string = (str) => {
  let h = 5381, i = str.length;
  while (i) {
    h = h * 33 ^ str.charCodeAt(--i);
  }
  return optimize(h);
};
var structureKeys = (o, keys6) => {
  let h = 12289;
  for (let i = 0; i < keys6.length; i++) {
    h ^= pipe(string(keys6[i]), combine(hash(o[keys6[i]])));
  }
  return optimize(h);
};
var structure = (o) => structureKeys(o, Object.keys(o));
var array2 = (arr) => {
  let h = 6151;
  for (let i = 0; i < arr.length; i++) {
    h = pipe(h, combine(hash(arr[i])));
  }
  return optimize(h);
};
var cached = function() {
  if (arguments.length === 1) {
    const self2 = arguments[0];
    return function(hash8) {
      Object.defineProperty(self2, symbol, {
        value() {
          return hash8;
        },
        enumerable: false
      });
      return hash8;
    };
  }
  const self = arguments[0];
  const hash7 = arguments[1];
  Object.defineProperty(self, symbol, {
    value() {
      return hash7;
    },
    enumerable: false
  });
  return hash7;
};

// node_modules/effect/dist/esm/Equal.js
var symbol2 = /* @__PURE__ */ Symbol.for("effect/Equal");
function equals() {
  if (arguments.length === 1) {
    return (self) => compareBoth(self, arguments[0]);
  }
  return compareBoth(arguments[0], arguments[1]);
}
function compareBoth(self, that) {
  if (self === that) {
    return true;
  }
  const selfType = typeof self;
  if (selfType !== typeof that) {
    return false;
  }
  if (selfType === "object" || selfType === "function") {
    if (self !== null && that !== null) {
      if (isEqual(self) && isEqual(that)) {
        if (hash(self) === hash(that) && self[symbol2](that)) {
          return true;
        } else {
          return structuralRegionState.enabled && structuralRegionState.tester ? structuralRegionState.tester(self, that) : false;
        }
      } else if (self instanceof Date && that instanceof Date) {
        const t1 = self.getTime();
        const t2 = that.getTime();
        return t1 === t2 || Number.isNaN(t1) && Number.isNaN(t2);
      } else if (self instanceof URL && that instanceof URL) {
        return self.href === that.href;
      }
    }
    if (structuralRegionState.enabled) {
      if (self === null || that === null) {
        return false;
      }
      if (Array.isArray(self) && Array.isArray(that)) {
        return self.length === that.length && self.every((v, i) => compareBoth(v, that[i]));
      }
      if (Object.getPrototypeOf(self) === Object.prototype && Object.getPrototypeOf(that) === Object.prototype) {
        const keysSelf = Object.keys(self);
        const keysThat = Object.keys(that);
        if (keysSelf.length === keysThat.length) {
          for (const key of keysSelf) {
            if (!(key in that && compareBoth(self[key], that[key]))) {
              return structuralRegionState.tester ? structuralRegionState.tester(self, that) : false;
            }
          }
          return true;
        }
      }
      return structuralRegionState.tester ? structuralRegionState.tester(self, that) : false;
    }
  }
  return structuralRegionState.enabled && structuralRegionState.tester ? structuralRegionState.tester(self, that) : false;
}
var isEqual = (u) => hasProperty(u, symbol2);
var equivalence = () => equals;

// node_modules/effect/dist/esm/Inspectable.js
var NodeInspectSymbol = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");
var toJSON = (x) => {
  try {
    if (hasProperty(x, "toJSON") && isFunction2(x["toJSON"]) && x["toJSON"].length === 0) {
      return x.toJSON();
    } else if (Array.isArray(x)) {
      return x.map(toJSON);
    }
  } catch {
    return {};
  }
  return redact(x);
};
var format = (x) => JSON.stringify(x, null, 2);
var BaseProto = {
  toJSON() {
    return toJSON(this);
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  toString() {
    return format(this.toJSON());
  }
};
var Class = class {
  /**
   * @since 2.0.0
   */
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
  /**
   * @since 2.0.0
   */
  toString() {
    return format(this.toJSON());
  }
};
var toStringUnknown = (u, whitespace = 2) => {
  if (typeof u === "string") {
    return u;
  }
  try {
    return typeof u === "object" ? stringifyCircular(u, whitespace) : String(u);
  } catch {
    return String(u);
  }
};
var stringifyCircular = (obj, whitespace) => {
  let cache = [];
  const retVal = JSON.stringify(obj, (_key, value2) => typeof value2 === "object" && value2 !== null ? cache.includes(value2) ? void 0 : cache.push(value2) && (redactableState.fiberRefs !== void 0 && isRedactable(value2) ? value2[symbolRedactable](redactableState.fiberRefs) : value2) : value2, whitespace);
  cache = void 0;
  return retVal;
};
var symbolRedactable = /* @__PURE__ */ Symbol.for("effect/Inspectable/Redactable");
var isRedactable = (u) => typeof u === "object" && u !== null && symbolRedactable in u;
var redactableState = /* @__PURE__ */ globalValue("effect/Inspectable/redactableState", () => ({
  fiberRefs: void 0
}));
var withRedactableContext = (context4, f) => {
  const prev = redactableState.fiberRefs;
  redactableState.fiberRefs = context4;
  try {
    return f();
  } finally {
    redactableState.fiberRefs = prev;
  }
};
var redact = (u) => {
  if (isRedactable(u) && redactableState.fiberRefs !== void 0) {
    return u[symbolRedactable](redactableState.fiberRefs);
  }
  return u;
};

// node_modules/effect/dist/esm/Pipeable.js
var pipeArguments = (self, args2) => {
  switch (args2.length) {
    case 0:
      return self;
    case 1:
      return args2[0](self);
    case 2:
      return args2[1](args2[0](self));
    case 3:
      return args2[2](args2[1](args2[0](self)));
    case 4:
      return args2[3](args2[2](args2[1](args2[0](self))));
    case 5:
      return args2[4](args2[3](args2[2](args2[1](args2[0](self)))));
    case 6:
      return args2[5](args2[4](args2[3](args2[2](args2[1](args2[0](self))))));
    case 7:
      return args2[6](args2[5](args2[4](args2[3](args2[2](args2[1](args2[0](self)))))));
    case 8:
      return args2[7](args2[6](args2[5](args2[4](args2[3](args2[2](args2[1](args2[0](self))))))));
    case 9:
      return args2[8](args2[7](args2[6](args2[5](args2[4](args2[3](args2[2](args2[1](args2[0](self)))))))));
    default: {
      let ret = self;
      for (let i = 0, len = args2.length; i < len; i++) {
        ret = args2[i](ret);
      }
      return ret;
    }
  }
};

// node_modules/effect/dist/esm/internal/opCodes/effect.js
var OP_ASYNC = "Async";
var OP_COMMIT = "Commit";
var OP_FAILURE = "Failure";
var OP_ON_FAILURE = "OnFailure";
var OP_ON_SUCCESS = "OnSuccess";
var OP_ON_SUCCESS_AND_FAILURE = "OnSuccessAndFailure";
var OP_SUCCESS = "Success";
var OP_SYNC = "Sync";
var OP_TAG = "Tag";
var OP_UPDATE_RUNTIME_FLAGS = "UpdateRuntimeFlags";
var OP_WHILE = "While";
var OP_ITERATOR = "Iterator";
var OP_WITH_RUNTIME = "WithRuntime";
var OP_YIELD = "Yield";
var OP_REVERT_FLAGS = "RevertFlags";

// node_modules/effect/dist/esm/internal/version.js
var moduleVersion = "3.22.4";
var getCurrentVersion = () => moduleVersion;

// node_modules/effect/dist/esm/internal/effectable.js
var EffectTypeId = /* @__PURE__ */ Symbol.for("effect/Effect");
var StreamTypeId = /* @__PURE__ */ Symbol.for("effect/Stream");
var SinkTypeId = /* @__PURE__ */ Symbol.for("effect/Sink");
var ChannelTypeId = /* @__PURE__ */ Symbol.for("effect/Channel");
var effectVariance = {
  /* c8 ignore next */
  _R: (_) => _,
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _A: (_) => _,
  _V: /* @__PURE__ */ getCurrentVersion()
};
var sinkVariance = {
  /* c8 ignore next */
  _A: (_) => _,
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _L: (_) => _,
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _R: (_) => _
};
var channelVariance = {
  /* c8 ignore next */
  _Env: (_) => _,
  /* c8 ignore next */
  _InErr: (_) => _,
  /* c8 ignore next */
  _InElem: (_) => _,
  /* c8 ignore next */
  _InDone: (_) => _,
  /* c8 ignore next */
  _OutErr: (_) => _,
  /* c8 ignore next */
  _OutElem: (_) => _,
  /* c8 ignore next */
  _OutDone: (_) => _
};
var EffectPrototype = {
  [EffectTypeId]: effectVariance,
  [StreamTypeId]: effectVariance,
  [SinkTypeId]: sinkVariance,
  [ChannelTypeId]: channelVariance,
  [symbol2](that) {
    return this === that;
  },
  [symbol]() {
    return cached(this, random(this));
  },
  [Symbol.iterator]() {
    return new SingleShotGen(new YieldWrap(this));
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var StructuralPrototype = {
  [symbol]() {
    return cached(this, structure(this));
  },
  [symbol2](that) {
    const selfKeys = Object.keys(this);
    const thatKeys = Object.keys(that);
    if (selfKeys.length !== thatKeys.length) {
      return false;
    }
    for (const key of selfKeys) {
      if (!(key in that && equals(this[key], that[key]))) {
        return false;
      }
    }
    return true;
  }
};
var CommitPrototype = {
  ...EffectPrototype,
  _op: OP_COMMIT
};
var StructuralCommitPrototype = {
  ...CommitPrototype,
  ...StructuralPrototype
};
var Base = /* @__PURE__ */ (function() {
  function Base3() {
  }
  Base3.prototype = CommitPrototype;
  return Base3;
})();

// node_modules/effect/dist/esm/internal/option.js
var TypeId = /* @__PURE__ */ Symbol.for("effect/Option");
var CommonProto = {
  ...EffectPrototype,
  [TypeId]: {
    _A: (_) => _
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  toString() {
    return format(this.toJSON());
  }
};
var SomeProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(CommonProto), {
  _tag: "Some",
  _op: "Some",
  [symbol2](that) {
    return isOption(that) && isSome(that) && equals(this.value, that.value);
  },
  [symbol]() {
    return cached(this, combine(hash(this._tag))(hash(this.value)));
  },
  toJSON() {
    return {
      _id: "Option",
      _tag: this._tag,
      value: toJSON(this.value)
    };
  }
});
var NoneHash = /* @__PURE__ */ hash("None");
var NoneProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(CommonProto), {
  _tag: "None",
  _op: "None",
  [symbol2](that) {
    return isOption(that) && isNone(that);
  },
  [symbol]() {
    return NoneHash;
  },
  toJSON() {
    return {
      _id: "Option",
      _tag: this._tag
    };
  }
});
var isOption = (input) => hasProperty(input, TypeId);
var isNone = (fa) => fa._tag === "None";
var isSome = (fa) => fa._tag === "Some";
var none = /* @__PURE__ */ Object.create(NoneProto);
var some = (value2) => {
  const a = Object.create(SomeProto);
  a.value = value2;
  return a;
};

// node_modules/effect/dist/esm/internal/either.js
var TypeId2 = /* @__PURE__ */ Symbol.for("effect/Either");
var CommonProto2 = {
  ...EffectPrototype,
  [TypeId2]: {
    _R: (_) => _
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  toString() {
    return format(this.toJSON());
  }
};
var RightProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(CommonProto2), {
  _tag: "Right",
  _op: "Right",
  [symbol2](that) {
    return isEither(that) && isRight(that) && equals(this.right, that.right);
  },
  [symbol]() {
    return combine(hash(this._tag))(hash(this.right));
  },
  toJSON() {
    return {
      _id: "Either",
      _tag: this._tag,
      right: toJSON(this.right)
    };
  }
});
var LeftProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(CommonProto2), {
  _tag: "Left",
  _op: "Left",
  [symbol2](that) {
    return isEither(that) && isLeft(that) && equals(this.left, that.left);
  },
  [symbol]() {
    return combine(hash(this._tag))(hash(this.left));
  },
  toJSON() {
    return {
      _id: "Either",
      _tag: this._tag,
      left: toJSON(this.left)
    };
  }
});
var isEither = (input) => hasProperty(input, TypeId2);
var isLeft = (ma) => ma._tag === "Left";
var isRight = (ma) => ma._tag === "Right";
var left = (left3) => {
  const a = Object.create(LeftProto);
  a.left = left3;
  return a;
};
var right = (right3) => {
  const a = Object.create(RightProto);
  a.right = right3;
  return a;
};

// node_modules/effect/dist/esm/Either.js
var right2 = right;
var left2 = left;
var isLeft2 = isLeft;
var isRight2 = isRight;
var match = /* @__PURE__ */ dual(2, (self, {
  onLeft,
  onRight
}) => isLeft2(self) ? onLeft(self.left) : onRight(self.right));
var merge = /* @__PURE__ */ match({
  onLeft: identity,
  onRight: identity
});

// node_modules/effect/dist/esm/internal/array.js
var isNonEmptyArray = (self) => self.length > 0;

// node_modules/effect/dist/esm/Order.js
var make2 = (compare2) => (self, that) => self === that ? 0 : compare2(self, that);
var number2 = /* @__PURE__ */ make2((self, that) => self < that ? -1 : 1);
var mapInput2 = /* @__PURE__ */ dual(2, (self, f) => make2((b1, b2) => self(f(b1), f(b2))));
var greaterThan = (O) => dual(2, (self, that) => O(self, that) === 1);

// node_modules/effect/dist/esm/Option.js
var none2 = () => none;
var some2 = some;
var isNone2 = isNone;
var isSome2 = isSome;
var match2 = /* @__PURE__ */ dual(2, (self, {
  onNone,
  onSome
}) => isNone2(self) ? onNone() : onSome(self.value));
var getOrElse = /* @__PURE__ */ dual(2, (self, onNone) => isNone2(self) ? onNone() : self.value);
var orElseSome = /* @__PURE__ */ dual(2, (self, onNone) => isNone2(self) ? some2(onNone()) : self);
var fromNullable = (nullableValue) => nullableValue == null ? none2() : some2(nullableValue);
var getOrUndefined = /* @__PURE__ */ getOrElse(constUndefined);
var getOrThrowWith = /* @__PURE__ */ dual(2, (self, onNone) => {
  if (isSome2(self)) {
    return self.value;
  }
  throw onNone();
});
var getOrThrow = /* @__PURE__ */ getOrThrowWith(() => new Error("getOrThrow called on a None"));
var map = /* @__PURE__ */ dual(2, (self, f) => isNone2(self) ? none2() : some2(f(self.value)));
var flatMap = /* @__PURE__ */ dual(2, (self, f) => isNone2(self) ? none2() : f(self.value));
var containsWith = (isEquivalent) => dual(2, (self, a) => isNone2(self) ? false : isEquivalent(self.value, a));
var _equivalence = /* @__PURE__ */ equivalence();
var contains = /* @__PURE__ */ containsWith(_equivalence);
var mergeWith = (f) => (o1, o2) => {
  if (isNone2(o1)) {
    return o2;
  } else if (isNone2(o2)) {
    return o1;
  }
  return some2(f(o1.value, o2.value));
};

// node_modules/effect/dist/esm/Tuple.js
var make3 = (...elements) => elements;

// node_modules/effect/dist/esm/Array.js
var allocate = (n) => new Array(n);
var makeBy = /* @__PURE__ */ dual(2, (n, f) => {
  const max5 = Math.max(1, Math.floor(n));
  const out = new Array(max5);
  for (let i = 0; i < max5; i++) {
    out[i] = f(i);
  }
  return out;
});
var fromIterable = (collection) => Array.isArray(collection) ? collection : Array.from(collection);
var ensure = (self) => Array.isArray(self) ? self : [self];
var prepend = /* @__PURE__ */ dual(2, (self, head5) => [head5, ...self]);
var append = /* @__PURE__ */ dual(2, (self, last3) => [...self, last3]);
var appendAll = /* @__PURE__ */ dual(2, (self, that) => fromIterable(self).concat(fromIterable(that)));
var isEmptyArray = (self) => self.length === 0;
var isEmptyReadonlyArray = isEmptyArray;
var isNonEmptyArray2 = isNonEmptyArray;
var isNonEmptyReadonlyArray = isNonEmptyArray;
var isOutOfBounds = (i, as4) => i < 0 || i >= as4.length;
var clamp = (i, as4) => Math.floor(Math.min(Math.max(0, i), as4.length));
var get = /* @__PURE__ */ dual(2, (self, index) => {
  const i = Math.floor(index);
  return isOutOfBounds(i, self) ? none2() : some2(self[i]);
});
var unsafeGet = /* @__PURE__ */ dual(2, (self, index) => {
  const i = Math.floor(index);
  if (isOutOfBounds(i, self)) {
    throw new Error(`Index ${i} out of bounds`);
  }
  return self[i];
});
var head = /* @__PURE__ */ get(0);
var headNonEmpty = /* @__PURE__ */ unsafeGet(0);
var last = (self) => isNonEmptyReadonlyArray(self) ? some2(lastNonEmpty(self)) : none2();
var lastNonEmpty = (self) => self[self.length - 1];
var tailNonEmpty = (self) => self.slice(1);
var spanIndex = (self, predicate) => {
  let i = 0;
  for (const a of self) {
    if (!predicate(a, i)) {
      break;
    }
    i++;
  }
  return i;
};
var span = /* @__PURE__ */ dual(2, (self, predicate) => splitAt(self, spanIndex(self, predicate)));
var drop = /* @__PURE__ */ dual(2, (self, n) => {
  const input = fromIterable(self);
  return input.slice(clamp(n, input), input.length);
});
var reverse = (self) => Array.from(self).reverse();
var sort = /* @__PURE__ */ dual(2, (self, O) => {
  const out = Array.from(self);
  out.sort(O);
  return out;
});
var zip = /* @__PURE__ */ dual(2, (self, that) => zipWith(self, that, make3));
var zipWith = /* @__PURE__ */ dual(3, (self, that, f) => {
  const as4 = fromIterable(self);
  const bs = fromIterable(that);
  if (isNonEmptyReadonlyArray(as4) && isNonEmptyReadonlyArray(bs)) {
    const out = [f(headNonEmpty(as4), headNonEmpty(bs))];
    const len = Math.min(as4.length, bs.length);
    for (let i = 1; i < len; i++) {
      out[i] = f(as4[i], bs[i]);
    }
    return out;
  }
  return [];
});
var _equivalence2 = /* @__PURE__ */ equivalence();
var splitAt = /* @__PURE__ */ dual(2, (self, n) => {
  const input = Array.from(self);
  const _n = Math.floor(n);
  if (isNonEmptyReadonlyArray(input)) {
    if (_n >= 1) {
      return splitNonEmptyAt(input, _n);
    }
    return [[], input];
  }
  return [input, []];
});
var splitNonEmptyAt = /* @__PURE__ */ dual(2, (self, n) => {
  const _n = Math.max(1, Math.floor(n));
  return _n >= self.length ? [copy(self), []] : [prepend(self.slice(1, _n), headNonEmpty(self)), self.slice(_n)];
});
var copy = (self) => self.slice();
var unionWith = /* @__PURE__ */ dual(3, (self, that, isEquivalent) => {
  const a = fromIterable(self);
  const b = fromIterable(that);
  if (isNonEmptyReadonlyArray(a)) {
    if (isNonEmptyReadonlyArray(b)) {
      const dedupe2 = dedupeWith(isEquivalent);
      return dedupe2(appendAll(a, b));
    }
    return a;
  }
  return b;
});
var union = /* @__PURE__ */ dual(2, (self, that) => unionWith(self, that, _equivalence2));
var empty = () => [];
var of = (a) => [a];
var map2 = /* @__PURE__ */ dual(2, (self, f) => self.map(f));
var flatMap2 = /* @__PURE__ */ dual(2, (self, f) => {
  if (isEmptyReadonlyArray(self)) {
    return [];
  }
  const out = [];
  for (let i = 0; i < self.length; i++) {
    const inner = f(self[i], i);
    for (let j = 0; j < inner.length; j++) {
      out.push(inner[j]);
    }
  }
  return out;
});
var flatten = /* @__PURE__ */ flatMap2(identity);
var filterMap = /* @__PURE__ */ dual(2, (self, f) => {
  const as4 = fromIterable(self);
  const out = [];
  for (let i = 0; i < as4.length; i++) {
    const o = f(as4[i], i);
    if (isSome2(o)) {
      out.push(o.value);
    }
  }
  return out;
});
var partitionMap = /* @__PURE__ */ dual(2, (self, f) => {
  const left3 = [];
  const right3 = [];
  const as4 = fromIterable(self);
  for (let i = 0; i < as4.length; i++) {
    const e = f(as4[i], i);
    if (isLeft2(e)) {
      left3.push(e.left);
    } else {
      right3.push(e.right);
    }
  }
  return [left3, right3];
});
var getSomes = /* @__PURE__ */ filterMap(identity);
var reduce = /* @__PURE__ */ dual(3, (self, b, f) => fromIterable(self).reduce((b2, a, i) => f(b2, a, i), b));
var reduceRight = /* @__PURE__ */ dual(3, (self, b, f) => fromIterable(self).reduceRight((b2, a, i) => f(b2, a, i), b));
var unfold = (b, f) => {
  const out = [];
  let next = b;
  let o;
  while (isSome2(o = f(next))) {
    const [a, b2] = o.value;
    out.push(a);
    next = b2;
  }
  return out;
};
var getEquivalence = array;
var dedupeWith = /* @__PURE__ */ dual(2, (self, isEquivalent) => {
  const input = fromIterable(self);
  if (isNonEmptyReadonlyArray(input)) {
    const out = [headNonEmpty(input)];
    const rest = tailNonEmpty(input);
    for (const r2 of rest) {
      if (out.every((a) => !isEquivalent(r2, a))) {
        out.push(r2);
      }
    }
    return out;
  }
  return [];
});
var dedupe = (self) => dedupeWith(self, equivalence());
var join = /* @__PURE__ */ dual(2, (self, sep2) => fromIterable(self).join(sep2));

// node_modules/effect/dist/esm/FastCheck.js
var FastCheck_exports = {};
__reExport(FastCheck_exports, fast_check_star);
import * as fast_check_star from "fast-check";

// node_modules/effect/dist/esm/Number.js
var Order = number2;

// node_modules/effect/dist/esm/RegExp.js
var escape = (string2) => string2.replace(/[/\\^$*+?.()|[\]{}]/g, "\\$&");

// node_modules/effect/dist/esm/Boolean.js
var not = (self) => !self;

// node_modules/effect/dist/esm/internal/stackTraceLimit.js
var ObjectGetOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
var ObjectPrototypeHasOwnProperty = Object.prototype.hasOwnProperty;
var ObjectIsExtensible = Object.isExtensible;
var isStackTraceLimitWritable = () => {
  const desc = ObjectGetOwnPropertyDescriptor(Error, "stackTraceLimit");
  if (desc === void 0) {
    return ObjectIsExtensible(Error);
  }
  return ObjectPrototypeHasOwnProperty.call(desc, "writable") ? desc.writable === true : desc.set !== void 0;
};
var canWriteStackTraceLimit = /* @__PURE__ */ isStackTraceLimitWritable();
var getStackTraceLimit = () => Error.stackTraceLimit;
var setStackTraceLimit = (value2) => {
  if (canWriteStackTraceLimit) {
    ;
    Error.stackTraceLimit = value2;
  }
};

// node_modules/effect/dist/esm/internal/context.js
var TagTypeId = /* @__PURE__ */ Symbol.for("effect/Context/Tag");
var ReferenceTypeId = /* @__PURE__ */ Symbol.for("effect/Context/Reference");
var STMSymbolKey = "effect/STM";
var STMTypeId = /* @__PURE__ */ Symbol.for(STMSymbolKey);
var TagProto = {
  ...EffectPrototype,
  _op: "Tag",
  [STMTypeId]: effectVariance,
  [TagTypeId]: {
    _Service: (_) => _,
    _Identifier: (_) => _
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "Tag",
      key: this.key,
      stack: this.stack
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  of(self) {
    return self;
  },
  context(self) {
    return make4(this, self);
  }
};
var ReferenceProto = {
  ...TagProto,
  [ReferenceTypeId]: ReferenceTypeId
};
var makeGenericTag = (key) => {
  const limit = getStackTraceLimit();
  setStackTraceLimit(2);
  const creationError = new Error();
  setStackTraceLimit(limit);
  const tag = Object.create(TagProto);
  Object.defineProperty(tag, "stack", {
    get() {
      return creationError.stack;
    }
  });
  tag.key = key;
  return tag;
};
var Reference = () => (id, options) => {
  const limit = getStackTraceLimit();
  setStackTraceLimit(2);
  const creationError = new Error();
  setStackTraceLimit(limit);
  function ReferenceClass() {
  }
  Object.setPrototypeOf(ReferenceClass, ReferenceProto);
  ReferenceClass.key = id;
  ReferenceClass.defaultValue = options.defaultValue;
  Object.defineProperty(ReferenceClass, "stack", {
    get() {
      return creationError.stack;
    }
  });
  return ReferenceClass;
};
var TypeId3 = /* @__PURE__ */ Symbol.for("effect/Context");
var ContextProto = {
  [TypeId3]: {
    _Services: (_) => _
  },
  [symbol2](that) {
    if (isContext(that)) {
      if (this.unsafeMap.size === that.unsafeMap.size) {
        for (const k of this.unsafeMap.keys()) {
          if (!that.unsafeMap.has(k) || !equals(this.unsafeMap.get(k), that.unsafeMap.get(k))) {
            return false;
          }
        }
        return true;
      }
    }
    return false;
  },
  [symbol]() {
    return cached(this, number(this.unsafeMap.size));
  },
  pipe() {
    return pipeArguments(this, arguments);
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "Context",
      services: Array.from(this.unsafeMap).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
};
var makeContext = (unsafeMap) => {
  const context4 = Object.create(ContextProto);
  context4.unsafeMap = unsafeMap;
  return context4;
};
var serviceNotFoundError = (tag) => {
  const error2 = new Error(`Service not found${tag.key ? `: ${String(tag.key)}` : ""}`);
  if (tag.stack) {
    const lines = tag.stack.split("\n");
    if (lines.length > 2) {
      const afterAt = lines[2].match(/at (.*)/);
      if (afterAt) {
        error2.message = error2.message + ` (defined at ${afterAt[1]})`;
      }
    }
  }
  if (error2.stack) {
    const lines = error2.stack.split("\n");
    lines.splice(1, 3);
    error2.stack = lines.join("\n");
  }
  return error2;
};
var isContext = (u) => hasProperty(u, TypeId3);
var isTag = (u) => hasProperty(u, TagTypeId);
var isReference = (u) => hasProperty(u, ReferenceTypeId);
var _empty = /* @__PURE__ */ makeContext(/* @__PURE__ */ new Map());
var empty2 = () => _empty;
var make4 = (tag, service) => makeContext(/* @__PURE__ */ new Map([[tag.key, service]]));
var add = /* @__PURE__ */ dual(3, (self, tag, service) => {
  const map12 = new Map(self.unsafeMap);
  map12.set(tag.key, service);
  return makeContext(map12);
});
var defaultValueCache = /* @__PURE__ */ globalValue("effect/Context/defaultValueCache", () => /* @__PURE__ */ new Map());
var getDefaultValue = (tag) => {
  if (defaultValueCache.has(tag.key)) {
    return defaultValueCache.get(tag.key);
  }
  const value2 = tag.defaultValue();
  defaultValueCache.set(tag.key, value2);
  return value2;
};
var unsafeGetReference = (self, tag) => {
  return self.unsafeMap.has(tag.key) ? self.unsafeMap.get(tag.key) : getDefaultValue(tag);
};
var unsafeGet2 = /* @__PURE__ */ dual(2, (self, tag) => {
  if (!self.unsafeMap.has(tag.key)) {
    if (ReferenceTypeId in tag) return getDefaultValue(tag);
    throw serviceNotFoundError(tag);
  }
  return self.unsafeMap.get(tag.key);
});
var get2 = unsafeGet2;
var getOption = /* @__PURE__ */ dual(2, (self, tag) => {
  if (!self.unsafeMap.has(tag.key)) {
    return isReference(tag) ? some(getDefaultValue(tag)) : none;
  }
  return some(self.unsafeMap.get(tag.key));
});
var merge2 = /* @__PURE__ */ dual(2, (self, that) => {
  const map12 = new Map(self.unsafeMap);
  for (const [tag, s] of that.unsafeMap) {
    map12.set(tag, s);
  }
  return makeContext(map12);
});
var mergeAll = (...ctxs) => {
  const map12 = /* @__PURE__ */ new Map();
  for (let i = 0; i < ctxs.length; i++) {
    ctxs[i].unsafeMap.forEach((value2, key) => {
      map12.set(key, value2);
    });
  }
  return makeContext(map12);
};

// node_modules/effect/dist/esm/Context.js
var GenericTag = makeGenericTag;
var isContext2 = isContext;
var isTag2 = isTag;
var empty3 = empty2;
var make5 = make4;
var add2 = add;
var get3 = get2;
var unsafeGet3 = unsafeGet2;
var getOption2 = getOption;
var merge3 = merge2;
var mergeAll2 = mergeAll;
var Reference2 = Reference;

// node_modules/effect/dist/esm/Chunk.js
var TypeId4 = /* @__PURE__ */ Symbol.for("effect/Chunk");
function copy2(src, srcPos, dest, destPos, len) {
  for (let i = srcPos; i < Math.min(src.length, srcPos + len); i++) {
    dest[destPos + i - srcPos] = src[i];
  }
  return dest;
}
var emptyArray = [];
var getEquivalence2 = (isEquivalent) => make((self, that) => self.length === that.length && toReadonlyArray(self).every((value2, i) => isEquivalent(value2, unsafeGet4(that, i))));
var _equivalence3 = /* @__PURE__ */ getEquivalence2(equals);
var ChunkProto = {
  [TypeId4]: {
    _A: (_) => _
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "Chunk",
      values: toReadonlyArray(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  [symbol2](that) {
    return isChunk(that) && _equivalence3(this, that);
  },
  [symbol]() {
    return cached(this, array2(toReadonlyArray(this)));
  },
  [Symbol.iterator]() {
    switch (this.backing._tag) {
      case "IArray": {
        return this.backing.array[Symbol.iterator]();
      }
      case "IEmpty": {
        return emptyArray[Symbol.iterator]();
      }
      default: {
        return toReadonlyArray(this)[Symbol.iterator]();
      }
    }
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeChunk = (backing) => {
  const chunk2 = Object.create(ChunkProto);
  chunk2.backing = backing;
  switch (backing._tag) {
    case "IEmpty": {
      chunk2.length = 0;
      chunk2.depth = 0;
      chunk2.left = chunk2;
      chunk2.right = chunk2;
      break;
    }
    case "IConcat": {
      chunk2.length = backing.left.length + backing.right.length;
      chunk2.depth = 1 + Math.max(backing.left.depth, backing.right.depth);
      chunk2.left = backing.left;
      chunk2.right = backing.right;
      break;
    }
    case "IArray": {
      chunk2.length = backing.array.length;
      chunk2.depth = 0;
      chunk2.left = _empty2;
      chunk2.right = _empty2;
      break;
    }
    case "ISingleton": {
      chunk2.length = 1;
      chunk2.depth = 0;
      chunk2.left = _empty2;
      chunk2.right = _empty2;
      break;
    }
    case "ISlice": {
      chunk2.length = backing.length;
      chunk2.depth = backing.chunk.depth + 1;
      chunk2.left = _empty2;
      chunk2.right = _empty2;
      break;
    }
  }
  return chunk2;
};
var isChunk = (u) => hasProperty(u, TypeId4);
var _empty2 = /* @__PURE__ */ makeChunk({
  _tag: "IEmpty"
});
var empty4 = () => _empty2;
var make6 = (...as4) => unsafeFromNonEmptyArray(as4);
var of2 = (a) => makeChunk({
  _tag: "ISingleton",
  a
});
var fromIterable2 = (self) => isChunk(self) ? self : unsafeFromArray(fromIterable(self));
var copyToArray = (self, array3, initial) => {
  switch (self.backing._tag) {
    case "IArray": {
      copy2(self.backing.array, 0, array3, initial, self.length);
      break;
    }
    case "IConcat": {
      copyToArray(self.left, array3, initial);
      copyToArray(self.right, array3, initial + self.left.length);
      break;
    }
    case "ISingleton": {
      array3[initial] = self.backing.a;
      break;
    }
    case "ISlice": {
      let i = 0;
      let j = initial;
      while (i < self.length) {
        array3[j] = unsafeGet4(self, i);
        i += 1;
        j += 1;
      }
      break;
    }
  }
};
var toReadonlyArray_ = (self) => {
  switch (self.backing._tag) {
    case "IEmpty": {
      return emptyArray;
    }
    case "IArray": {
      return self.backing.array;
    }
    default: {
      const arr = new Array(self.length);
      copyToArray(self, arr, 0);
      self.backing = {
        _tag: "IArray",
        array: arr
      };
      self.left = _empty2;
      self.right = _empty2;
      self.depth = 0;
      return arr;
    }
  }
};
var toReadonlyArray = toReadonlyArray_;
var reverseChunk = (self) => {
  switch (self.backing._tag) {
    case "IEmpty":
    case "ISingleton":
      return self;
    case "IArray": {
      return makeChunk({
        _tag: "IArray",
        array: reverse(self.backing.array)
      });
    }
    case "IConcat": {
      return makeChunk({
        _tag: "IConcat",
        left: reverse2(self.backing.right),
        right: reverse2(self.backing.left)
      });
    }
    case "ISlice":
      return unsafeFromArray(reverse(toReadonlyArray(self)));
  }
};
var reverse2 = reverseChunk;
var get4 = /* @__PURE__ */ dual(2, (self, index) => index < 0 || index >= self.length ? none2() : some2(unsafeGet4(self, index)));
var unsafeFromArray = (self) => self.length === 0 ? empty4() : self.length === 1 ? of2(self[0]) : makeChunk({
  _tag: "IArray",
  array: self
});
var unsafeFromNonEmptyArray = (self) => unsafeFromArray(self);
var unsafeGet4 = /* @__PURE__ */ dual(2, (self, index) => {
  switch (self.backing._tag) {
    case "IEmpty": {
      throw new Error(`Index out of bounds`);
    }
    case "ISingleton": {
      if (index !== 0) {
        throw new Error(`Index out of bounds`);
      }
      return self.backing.a;
    }
    case "IArray": {
      if (index >= self.length || index < 0) {
        throw new Error(`Index out of bounds`);
      }
      return self.backing.array[index];
    }
    case "IConcat": {
      return index < self.left.length ? unsafeGet4(self.left, index) : unsafeGet4(self.right, index - self.left.length);
    }
    case "ISlice": {
      return unsafeGet4(self.backing.chunk, index + self.backing.offset);
    }
  }
});
var append2 = /* @__PURE__ */ dual(2, (self, a) => appendAll2(self, of2(a)));
var prepend2 = /* @__PURE__ */ dual(2, (self, elem) => appendAll2(of2(elem), self));
var drop2 = /* @__PURE__ */ dual(2, (self, n) => {
  if (n <= 0) {
    return self;
  } else if (n >= self.length) {
    return _empty2;
  } else {
    switch (self.backing._tag) {
      case "ISlice": {
        return makeChunk({
          _tag: "ISlice",
          chunk: self.backing.chunk,
          offset: self.backing.offset + n,
          length: self.backing.length - n
        });
      }
      case "IConcat": {
        if (n > self.left.length) {
          return drop2(self.right, n - self.left.length);
        }
        return makeChunk({
          _tag: "IConcat",
          left: drop2(self.left, n),
          right: self.right
        });
      }
      default: {
        return makeChunk({
          _tag: "ISlice",
          chunk: self,
          offset: n,
          length: self.length - n
        });
      }
    }
  }
});
var appendAll2 = /* @__PURE__ */ dual(2, (self, that) => {
  if (self.backing._tag === "IEmpty") {
    return that;
  }
  if (that.backing._tag === "IEmpty") {
    return self;
  }
  const diff8 = that.depth - self.depth;
  if (Math.abs(diff8) <= 1) {
    return makeChunk({
      _tag: "IConcat",
      left: self,
      right: that
    });
  } else if (diff8 < -1) {
    if (self.left.depth >= self.right.depth) {
      const nr = appendAll2(self.right, that);
      return makeChunk({
        _tag: "IConcat",
        left: self.left,
        right: nr
      });
    } else {
      const nrr = appendAll2(self.right.right, that);
      if (nrr.depth === self.depth - 3) {
        const nr = makeChunk({
          _tag: "IConcat",
          left: self.right.left,
          right: nrr
        });
        return makeChunk({
          _tag: "IConcat",
          left: self.left,
          right: nr
        });
      } else {
        const nl = makeChunk({
          _tag: "IConcat",
          left: self.left,
          right: self.right.left
        });
        return makeChunk({
          _tag: "IConcat",
          left: nl,
          right: nrr
        });
      }
    }
  } else {
    if (that.right.depth >= that.left.depth) {
      const nl = appendAll2(self, that.left);
      return makeChunk({
        _tag: "IConcat",
        left: nl,
        right: that.right
      });
    } else {
      const nll = appendAll2(self, that.left.left);
      if (nll.depth === that.depth - 3) {
        const nl = makeChunk({
          _tag: "IConcat",
          left: nll,
          right: that.left.right
        });
        return makeChunk({
          _tag: "IConcat",
          left: nl,
          right: that.right
        });
      } else {
        const nr = makeChunk({
          _tag: "IConcat",
          left: that.left.right,
          right: that.right
        });
        return makeChunk({
          _tag: "IConcat",
          left: nll,
          right: nr
        });
      }
    }
  }
});
var isEmpty = (self) => self.length === 0;
var isNonEmpty = (self) => self.length > 0;
var head2 = /* @__PURE__ */ get4(0);
var unsafeHead = (self) => unsafeGet4(self, 0);
var headNonEmpty2 = unsafeHead;
var tailNonEmpty2 = (self) => drop2(self, 1);

// node_modules/effect/dist/esm/Duration.js
var TypeId5 = /* @__PURE__ */ Symbol.for("effect/Duration");
var bigint0 = /* @__PURE__ */ BigInt(0);
var bigint24 = /* @__PURE__ */ BigInt(24);
var bigint60 = /* @__PURE__ */ BigInt(60);
var bigint1e3 = /* @__PURE__ */ BigInt(1e3);
var bigint1e6 = /* @__PURE__ */ BigInt(1e6);
var bigint1e9 = /* @__PURE__ */ BigInt(1e9);
var DURATION_REGEX = /^(-?\d+(?:\.\d+)?)\s+(nanos?|micros?|millis?|seconds?|minutes?|hours?|days?|weeks?)$/;
var parseNanos = (input, scale) => input.includes(".") ? BigInt(Math.round(Number(input) * scale)) : BigInt(input) * BigInt(scale);
var decode = (input) => {
  if (isDuration(input)) {
    return input;
  } else if (isNumber(input)) {
    return millis(input);
  } else if (isBigInt(input)) {
    return nanos(input);
  } else if (Array.isArray(input) && input.length === 2 && input.every(isNumber)) {
    if (input[0] === -Infinity || input[1] === -Infinity || Number.isNaN(input[0]) || Number.isNaN(input[1])) {
      return zero;
    }
    if (input[0] === Infinity || input[1] === Infinity) {
      return infinity;
    }
    return nanos(BigInt(Math.round(input[0] * 1e9)) + BigInt(Math.round(input[1])));
  } else if (isString(input)) {
    const match10 = DURATION_REGEX.exec(input);
    if (match10) {
      const [_, valueStr, unit] = match10;
      const value2 = Number(valueStr);
      switch (unit) {
        case "nano":
        case "nanos":
          return nanos(parseNanos(valueStr, 1));
        case "micro":
        case "micros":
          return nanos(parseNanos(valueStr, 1e3));
        case "milli":
        case "millis":
          return millis(value2);
        case "second":
        case "seconds":
          return seconds(value2);
        case "minute":
        case "minutes":
          return minutes(value2);
        case "hour":
        case "hours":
          return hours(value2);
        case "day":
        case "days":
          return days(value2);
        case "week":
        case "weeks":
          return weeks(value2);
      }
    }
  }
  throw new Error("Invalid DurationInput");
};
var zeroValue = {
  _tag: "Millis",
  millis: 0
};
var infinityValue = {
  _tag: "Infinity"
};
var DurationProto = {
  [TypeId5]: TypeId5,
  [symbol]() {
    return cached(this, structure(this.value));
  },
  [symbol2](that) {
    return isDuration(that) && equals2(this, that);
  },
  toString() {
    return `Duration(${format2(this)})`;
  },
  toJSON() {
    switch (this.value._tag) {
      case "Millis":
        return {
          _id: "Duration",
          _tag: "Millis",
          millis: this.value.millis
        };
      case "Nanos":
        return {
          _id: "Duration",
          _tag: "Nanos",
          hrtime: toHrTime(this)
        };
      case "Infinity":
        return {
          _id: "Duration",
          _tag: "Infinity"
        };
    }
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make7 = (input) => {
  const duration = Object.create(DurationProto);
  if (isNumber(input)) {
    if (isNaN(input) || input <= 0) {
      duration.value = zeroValue;
    } else if (!Number.isFinite(input)) {
      duration.value = infinityValue;
    } else if (!Number.isInteger(input)) {
      duration.value = {
        _tag: "Nanos",
        nanos: BigInt(Math.round(input * 1e6))
      };
    } else {
      duration.value = {
        _tag: "Millis",
        millis: input
      };
    }
  } else if (input <= bigint0) {
    duration.value = zeroValue;
  } else {
    duration.value = {
      _tag: "Nanos",
      nanos: input
    };
  }
  return duration;
};
var isDuration = (u) => hasProperty(u, TypeId5);
var isZero = (self) => {
  switch (self.value._tag) {
    case "Millis": {
      return self.value.millis === 0;
    }
    case "Nanos": {
      return self.value.nanos === bigint0;
    }
    case "Infinity": {
      return false;
    }
  }
};
var zero = /* @__PURE__ */ make7(0);
var infinity = /* @__PURE__ */ make7(Infinity);
var nanos = (nanos2) => make7(nanos2);
var millis = (millis2) => make7(millis2);
var seconds = (seconds2) => make7(seconds2 * 1e3);
var minutes = (minutes2) => make7(minutes2 * 6e4);
var hours = (hours2) => make7(hours2 * 36e5);
var days = (days2) => make7(days2 * 864e5);
var weeks = (weeks2) => make7(weeks2 * 6048e5);
var toMillis = (self) => match3(self, {
  onMillis: (millis2) => millis2,
  onNanos: (nanos2) => Number(nanos2) / 1e6
});
var unsafeToNanos = (self) => {
  const _self = decode(self);
  switch (_self.value._tag) {
    case "Infinity":
      throw new Error("Cannot convert infinite duration to nanos");
    case "Nanos":
      return _self.value.nanos;
    case "Millis":
      return BigInt(Math.round(_self.value.millis * 1e6));
  }
};
var toHrTime = (self) => {
  const _self = decode(self);
  switch (_self.value._tag) {
    case "Infinity":
      return [Infinity, 0];
    case "Nanos":
      return [Number(_self.value.nanos / bigint1e9), Number(_self.value.nanos % bigint1e9)];
    case "Millis":
      return [Math.floor(_self.value.millis / 1e3), Math.round(_self.value.millis % 1e3 * 1e6)];
  }
};
var match3 = /* @__PURE__ */ dual(2, (self, options) => {
  const _self = decode(self);
  switch (_self.value._tag) {
    case "Nanos":
      return options.onNanos(_self.value.nanos);
    case "Infinity":
      return options.onMillis(Infinity);
    case "Millis":
      return options.onMillis(_self.value.millis);
  }
});
var matchWith = /* @__PURE__ */ dual(3, (self, that, options) => {
  const _self = decode(self);
  const _that = decode(that);
  if (_self.value._tag === "Infinity" || _that.value._tag === "Infinity") {
    return options.onMillis(toMillis(_self), toMillis(_that));
  } else if (_self.value._tag === "Nanos" || _that.value._tag === "Nanos") {
    const selfNanos = _self.value._tag === "Nanos" ? _self.value.nanos : BigInt(Math.round(_self.value.millis * 1e6));
    const thatNanos = _that.value._tag === "Nanos" ? _that.value.nanos : BigInt(Math.round(_that.value.millis * 1e6));
    return options.onNanos(selfNanos, thatNanos);
  }
  return options.onMillis(_self.value.millis, _that.value.millis);
});
var Equivalence = (self, that) => matchWith(self, that, {
  onMillis: (self2, that2) => self2 === that2,
  onNanos: (self2, that2) => self2 === that2
});
var lessThanOrEqualTo2 = /* @__PURE__ */ dual(2, (self, that) => matchWith(self, that, {
  onMillis: (self2, that2) => self2 <= that2,
  onNanos: (self2, that2) => self2 <= that2
}));
var greaterThanOrEqualTo2 = /* @__PURE__ */ dual(2, (self, that) => matchWith(self, that, {
  onMillis: (self2, that2) => self2 >= that2,
  onNanos: (self2, that2) => self2 >= that2
}));
var equals2 = /* @__PURE__ */ dual(2, (self, that) => Equivalence(decode(self), decode(that)));
var parts = (self) => {
  const duration = decode(self);
  if (duration.value._tag === "Infinity") {
    return {
      days: Infinity,
      hours: Infinity,
      minutes: Infinity,
      seconds: Infinity,
      millis: Infinity,
      nanos: Infinity
    };
  }
  const nanos2 = unsafeToNanos(duration);
  const ms = nanos2 / bigint1e6;
  const sec = ms / bigint1e3;
  const min3 = sec / bigint60;
  const hr = min3 / bigint60;
  const days2 = hr / bigint24;
  return {
    days: Number(days2),
    hours: Number(hr % bigint24),
    minutes: Number(min3 % bigint60),
    seconds: Number(sec % bigint60),
    millis: Number(ms % bigint1e3),
    nanos: Number(nanos2 % bigint1e6)
  };
};
var format2 = (self) => {
  const duration = decode(self);
  if (duration.value._tag === "Infinity") {
    return "Infinity";
  }
  if (isZero(duration)) {
    return "0";
  }
  const fragments = parts(duration);
  const pieces = [];
  if (fragments.days !== 0) {
    pieces.push(`${fragments.days}d`);
  }
  if (fragments.hours !== 0) {
    pieces.push(`${fragments.hours}h`);
  }
  if (fragments.minutes !== 0) {
    pieces.push(`${fragments.minutes}m`);
  }
  if (fragments.seconds !== 0) {
    pieces.push(`${fragments.seconds}s`);
  }
  if (fragments.millis !== 0) {
    pieces.push(`${fragments.millis}ms`);
  }
  if (fragments.nanos !== 0) {
    pieces.push(`${fragments.nanos}ns`);
  }
  return pieces.join(" ");
};

// node_modules/effect/dist/esm/internal/hashMap/config.js
var SIZE = 5;
var BUCKET_SIZE = /* @__PURE__ */ Math.pow(2, SIZE);
var MASK = BUCKET_SIZE - 1;
var MAX_INDEX_NODE = BUCKET_SIZE / 2;
var MIN_ARRAY_NODE = BUCKET_SIZE / 4;

// node_modules/effect/dist/esm/internal/hashMap/bitwise.js
function popcount(x) {
  x -= x >> 1 & 1431655765;
  x = (x & 858993459) + (x >> 2 & 858993459);
  x = x + (x >> 4) & 252645135;
  x += x >> 8;
  x += x >> 16;
  return x & 127;
}
function hashFragment(shift2, h) {
  return h >>> shift2 & MASK;
}
function toBitmap(x) {
  return 1 << x;
}
function fromBitmap(bitmap, bit) {
  return popcount(bitmap & bit - 1);
}

// node_modules/effect/dist/esm/internal/stack.js
var make8 = (value2, previous) => ({
  value: value2,
  previous
});

// node_modules/effect/dist/esm/internal/hashMap/array.js
function arrayUpdate(mutate4, at2, v, arr) {
  let out = arr;
  if (!mutate4) {
    const len = arr.length;
    out = new Array(len);
    for (let i = 0; i < len; ++i) out[i] = arr[i];
  }
  out[at2] = v;
  return out;
}
function arraySpliceOut(mutate4, at2, arr) {
  const newLen = arr.length - 1;
  let i = 0;
  let g = 0;
  let out = arr;
  if (mutate4) {
    i = g = at2;
  } else {
    out = new Array(newLen);
    while (i < at2) out[g++] = arr[i++];
  }
  ++i;
  while (i <= newLen) out[g++] = arr[i++];
  if (mutate4) {
    out.length = newLen;
  }
  return out;
}
function arraySpliceIn(mutate4, at2, v, arr) {
  const len = arr.length;
  if (mutate4) {
    let i2 = len;
    while (i2 >= at2) arr[i2--] = arr[i2];
    arr[at2] = v;
    return arr;
  }
  let i = 0, g = 0;
  const out = new Array(len + 1);
  while (i < at2) out[g++] = arr[i++];
  out[at2] = v;
  while (i < len) out[++g] = arr[i++];
  return out;
}

// node_modules/effect/dist/esm/internal/hashMap/node.js
var EmptyNode = class _EmptyNode {
  _tag = "EmptyNode";
  modify(edit, _shift, f, hash7, key, size9) {
    const v = f(none2());
    if (isNone2(v)) return new _EmptyNode();
    ++size9.value;
    return new LeafNode(edit, hash7, key, v);
  }
};
function isEmptyNode(a) {
  return isTagged(a, "EmptyNode");
}
function isLeafNode(node) {
  return isEmptyNode(node) || node._tag === "LeafNode" || node._tag === "CollisionNode";
}
function canEditNode(node, edit) {
  return isEmptyNode(node) ? false : edit === node.edit;
}
var LeafNode = class _LeafNode {
  edit;
  hash;
  key;
  value;
  _tag = "LeafNode";
  constructor(edit, hash7, key, value2) {
    this.edit = edit;
    this.hash = hash7;
    this.key = key;
    this.value = value2;
  }
  modify(edit, shift2, f, hash7, key, size9) {
    if (equals(key, this.key)) {
      const v2 = f(this.value);
      if (v2 === this.value) return this;
      else if (isNone2(v2)) {
        --size9.value;
        return new EmptyNode();
      }
      if (canEditNode(this, edit)) {
        this.value = v2;
        return this;
      }
      return new _LeafNode(edit, hash7, key, v2);
    }
    const v = f(none2());
    if (isNone2(v)) return this;
    ++size9.value;
    return mergeLeaves(edit, shift2, this.hash, this, hash7, new _LeafNode(edit, hash7, key, v));
  }
};
var CollisionNode = class _CollisionNode {
  edit;
  hash;
  children;
  _tag = "CollisionNode";
  constructor(edit, hash7, children) {
    this.edit = edit;
    this.hash = hash7;
    this.children = children;
  }
  modify(edit, shift2, f, hash7, key, size9) {
    if (hash7 === this.hash) {
      const canEdit = canEditNode(this, edit);
      const list = this.updateCollisionList(canEdit, edit, this.hash, this.children, f, key, size9);
      if (list === this.children) return this;
      return list.length > 1 ? new _CollisionNode(edit, this.hash, list) : list[0];
    }
    const v = f(none2());
    if (isNone2(v)) return this;
    ++size9.value;
    return mergeLeaves(edit, shift2, this.hash, this, hash7, new LeafNode(edit, hash7, key, v));
  }
  updateCollisionList(mutate4, edit, hash7, list, f, key, size9) {
    const len = list.length;
    for (let i = 0; i < len; ++i) {
      const child = list[i];
      if ("key" in child && equals(key, child.key)) {
        const value2 = child.value;
        const newValue2 = f(value2);
        if (newValue2 === value2) return list;
        if (isNone2(newValue2)) {
          --size9.value;
          return arraySpliceOut(mutate4, i, list);
        }
        return arrayUpdate(mutate4, i, new LeafNode(edit, hash7, key, newValue2), list);
      }
    }
    const newValue = f(none2());
    if (isNone2(newValue)) return list;
    ++size9.value;
    return arrayUpdate(mutate4, len, new LeafNode(edit, hash7, key, newValue), list);
  }
};
var IndexedNode = class _IndexedNode {
  edit;
  mask;
  children;
  _tag = "IndexedNode";
  constructor(edit, mask, children) {
    this.edit = edit;
    this.mask = mask;
    this.children = children;
  }
  modify(edit, shift2, f, hash7, key, size9) {
    const mask = this.mask;
    const children = this.children;
    const frag = hashFragment(shift2, hash7);
    const bit = toBitmap(frag);
    const indx = fromBitmap(mask, bit);
    const exists4 = mask & bit;
    const canEdit = canEditNode(this, edit);
    if (!exists4) {
      const _newChild = new EmptyNode().modify(edit, shift2 + SIZE, f, hash7, key, size9);
      if (!_newChild) return this;
      return children.length >= MAX_INDEX_NODE ? expand(edit, frag, _newChild, mask, children) : new _IndexedNode(edit, mask | bit, arraySpliceIn(canEdit, indx, _newChild, children));
    }
    const current = children[indx];
    const child = current.modify(edit, shift2 + SIZE, f, hash7, key, size9);
    if (current === child) return this;
    let bitmap = mask;
    let newChildren;
    if (isEmptyNode(child)) {
      bitmap &= ~bit;
      if (!bitmap) return new EmptyNode();
      if (children.length <= 2 && isLeafNode(children[indx ^ 1])) {
        return children[indx ^ 1];
      }
      newChildren = arraySpliceOut(canEdit, indx, children);
    } else {
      newChildren = arrayUpdate(canEdit, indx, child, children);
    }
    if (canEdit) {
      this.mask = bitmap;
      this.children = newChildren;
      return this;
    }
    return new _IndexedNode(edit, bitmap, newChildren);
  }
};
var ArrayNode = class _ArrayNode {
  edit;
  size;
  children;
  _tag = "ArrayNode";
  constructor(edit, size9, children) {
    this.edit = edit;
    this.size = size9;
    this.children = children;
  }
  modify(edit, shift2, f, hash7, key, size9) {
    let count = this.size;
    const children = this.children;
    const frag = hashFragment(shift2, hash7);
    const child = children[frag];
    const newChild = (child || new EmptyNode()).modify(edit, shift2 + SIZE, f, hash7, key, size9);
    if (child === newChild) return this;
    const canEdit = canEditNode(this, edit);
    let newChildren;
    if (isEmptyNode(child) && !isEmptyNode(newChild)) {
      ++count;
      newChildren = arrayUpdate(canEdit, frag, newChild, children);
    } else if (!isEmptyNode(child) && isEmptyNode(newChild)) {
      --count;
      if (count <= MIN_ARRAY_NODE) {
        return pack(edit, count, frag, children);
      }
      newChildren = arrayUpdate(canEdit, frag, new EmptyNode(), children);
    } else {
      newChildren = arrayUpdate(canEdit, frag, newChild, children);
    }
    if (canEdit) {
      this.size = count;
      this.children = newChildren;
      return this;
    }
    return new _ArrayNode(edit, count, newChildren);
  }
};
function pack(edit, count, removed, elements) {
  const children = new Array(count - 1);
  let g = 0;
  let bitmap = 0;
  for (let i = 0, len = elements.length; i < len; ++i) {
    if (i !== removed) {
      const elem = elements[i];
      if (elem && !isEmptyNode(elem)) {
        children[g++] = elem;
        bitmap |= 1 << i;
      }
    }
  }
  return new IndexedNode(edit, bitmap, children);
}
function expand(edit, frag, child, bitmap, subNodes) {
  const arr = [];
  let bit = bitmap;
  let count = 0;
  for (let i = 0; bit; ++i) {
    if (bit & 1) arr[i] = subNodes[count++];
    bit >>>= 1;
  }
  arr[frag] = child;
  return new ArrayNode(edit, count + 1, arr);
}
function mergeLeavesInner(edit, shift2, h1, n1, h2, n2) {
  if (h1 === h2) return new CollisionNode(edit, h1, [n2, n1]);
  const subH1 = hashFragment(shift2, h1);
  const subH2 = hashFragment(shift2, h2);
  if (subH1 === subH2) {
    return (child) => new IndexedNode(edit, toBitmap(subH1) | toBitmap(subH2), [child]);
  } else {
    const children = subH1 < subH2 ? [n1, n2] : [n2, n1];
    return new IndexedNode(edit, toBitmap(subH1) | toBitmap(subH2), children);
  }
}
function mergeLeaves(edit, shift2, h1, n1, h2, n2) {
  let stack = void 0;
  let currentShift = shift2;
  while (true) {
    const res = mergeLeavesInner(edit, currentShift, h1, n1, h2, n2);
    if (typeof res === "function") {
      stack = make8(res, stack);
      currentShift = currentShift + SIZE;
    } else {
      let final = res;
      while (stack != null) {
        final = stack.value(final);
        stack = stack.previous;
      }
      return final;
    }
  }
}

// node_modules/effect/dist/esm/internal/hashMap.js
var HashMapSymbolKey = "effect/HashMap";
var HashMapTypeId = /* @__PURE__ */ Symbol.for(HashMapSymbolKey);
var HashMapProto = {
  [HashMapTypeId]: HashMapTypeId,
  [Symbol.iterator]() {
    return new HashMapIterator(this, (k, v) => [k, v]);
  },
  [symbol]() {
    let hash7 = hash(HashMapSymbolKey);
    for (const item of this) {
      hash7 ^= pipe(hash(item[0]), combine(hash(item[1])));
    }
    return cached(this, hash7);
  },
  [symbol2](that) {
    if (isHashMap(that)) {
      if (that._size !== this._size) {
        return false;
      }
      for (const item of this) {
        const elem = pipe(that, getHash(item[0], hash(item[0])));
        if (isNone2(elem)) {
          return false;
        } else {
          if (!equals(item[1], elem.value)) {
            return false;
          }
        }
      }
      return true;
    }
    return false;
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "HashMap",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeImpl = (editable, edit, root, size9) => {
  const map12 = Object.create(HashMapProto);
  map12._editable = editable;
  map12._edit = edit;
  map12._root = root;
  map12._size = size9;
  return map12;
};
var HashMapIterator = class _HashMapIterator {
  map;
  f;
  v;
  constructor(map12, f) {
    this.map = map12;
    this.f = f;
    this.v = visitLazy(this.map._root, this.f, void 0);
  }
  next() {
    if (isNone2(this.v)) {
      return {
        done: true,
        value: void 0
      };
    }
    const v0 = this.v.value;
    this.v = applyCont(v0.cont);
    return {
      done: false,
      value: v0.value
    };
  }
  [Symbol.iterator]() {
    return new _HashMapIterator(this.map, this.f);
  }
};
var applyCont = (cont) => cont ? visitLazyChildren(cont[0], cont[1], cont[2], cont[3], cont[4]) : none2();
var visitLazy = (node, f, cont = void 0) => {
  switch (node._tag) {
    case "LeafNode": {
      if (isSome2(node.value)) {
        return some2({
          value: f(node.key, node.value.value),
          cont
        });
      }
      return applyCont(cont);
    }
    case "CollisionNode":
    case "ArrayNode":
    case "IndexedNode": {
      const children = node.children;
      return visitLazyChildren(children.length, children, 0, f, cont);
    }
    default: {
      return applyCont(cont);
    }
  }
};
var visitLazyChildren = (len, children, i, f, cont) => {
  while (i < len) {
    const child = children[i++];
    if (child && !isEmptyNode(child)) {
      return visitLazy(child, f, [len, children, i, f, cont]);
    }
  }
  return applyCont(cont);
};
var _empty3 = /* @__PURE__ */ makeImpl(false, 0, /* @__PURE__ */ new EmptyNode(), 0);
var empty5 = () => _empty3;
var fromIterable3 = (entries3) => {
  const map12 = beginMutation(empty5());
  for (const entry of entries3) {
    set(map12, entry[0], entry[1]);
  }
  return endMutation(map12);
};
var isHashMap = (u) => hasProperty(u, HashMapTypeId);
var isEmpty2 = (self) => self && isEmptyNode(self._root);
var get5 = /* @__PURE__ */ dual(2, (self, key) => getHash(self, key, hash(key)));
var getHash = /* @__PURE__ */ dual(3, (self, key, hash7) => {
  let node = self._root;
  let shift2 = 0;
  while (true) {
    switch (node._tag) {
      case "LeafNode": {
        return equals(key, node.key) ? node.value : none2();
      }
      case "CollisionNode": {
        if (hash7 === node.hash) {
          const children = node.children;
          for (let i = 0, len = children.length; i < len; ++i) {
            const child = children[i];
            if ("key" in child && equals(key, child.key)) {
              return child.value;
            }
          }
        }
        return none2();
      }
      case "IndexedNode": {
        const frag = hashFragment(shift2, hash7);
        const bit = toBitmap(frag);
        if (node.mask & bit) {
          node = node.children[fromBitmap(node.mask, bit)];
          shift2 += SIZE;
          break;
        }
        return none2();
      }
      case "ArrayNode": {
        node = node.children[hashFragment(shift2, hash7)];
        if (node) {
          shift2 += SIZE;
          break;
        }
        return none2();
      }
      default:
        return none2();
    }
  }
});
var has = /* @__PURE__ */ dual(2, (self, key) => isSome2(getHash(self, key, hash(key))));
var set = /* @__PURE__ */ dual(3, (self, key, value2) => modifyAt(self, key, () => some2(value2)));
var setTree = /* @__PURE__ */ dual(3, (self, newRoot, newSize) => {
  if (self._editable) {
    ;
    self._root = newRoot;
    self._size = newSize;
    return self;
  }
  return newRoot === self._root ? self : makeImpl(self._editable, self._edit, newRoot, newSize);
});
var keys = (self) => new HashMapIterator(self, (key) => key);
var size = (self) => self._size;
var beginMutation = (self) => makeImpl(true, self._edit + 1, self._root, self._size);
var endMutation = (self) => {
  ;
  self._editable = false;
  return self;
};
var mutate = /* @__PURE__ */ dual(2, (self, f) => {
  const transient = beginMutation(self);
  f(transient);
  return endMutation(transient);
});
var modifyAt = /* @__PURE__ */ dual(3, (self, key, f) => modifyHash(self, key, hash(key), f));
var modifyHash = /* @__PURE__ */ dual(4, (self, key, hash7, f) => {
  const size9 = {
    value: self._size
  };
  const newRoot = self._root.modify(self._editable ? self._edit : NaN, 0, f, hash7, key, size9);
  return pipe(self, setTree(newRoot, size9.value));
});
var remove2 = /* @__PURE__ */ dual(2, (self, key) => modifyAt(self, key, none2));
var map3 = /* @__PURE__ */ dual(2, (self, f) => reduce2(self, empty5(), (map12, value2, key) => set(map12, key, f(value2, key))));
var forEach = /* @__PURE__ */ dual(2, (self, f) => reduce2(self, void 0, (_, value2, key) => f(value2, key)));
var reduce2 = /* @__PURE__ */ dual(3, (self, zero3, f) => {
  const root = self._root;
  if (root._tag === "LeafNode") {
    return isSome2(root.value) ? f(zero3, root.value.value, root.key) : zero3;
  }
  if (root._tag === "EmptyNode") {
    return zero3;
  }
  const toVisit = [root.children];
  let children;
  while (children = toVisit.pop()) {
    for (let i = 0, len = children.length; i < len; ) {
      const child = children[i++];
      if (child && !isEmptyNode(child)) {
        if (child._tag === "LeafNode") {
          if (isSome2(child.value)) {
            zero3 = f(zero3, child.value.value, child.key);
          }
        } else {
          toVisit.push(child.children);
        }
      }
    }
  }
  return zero3;
});

// node_modules/effect/dist/esm/internal/hashSet.js
var HashSetSymbolKey = "effect/HashSet";
var HashSetTypeId = /* @__PURE__ */ Symbol.for(HashSetSymbolKey);
var HashSetProto = {
  [HashSetTypeId]: HashSetTypeId,
  [Symbol.iterator]() {
    return keys(this._keyMap);
  },
  [symbol]() {
    return cached(this, combine(hash(this._keyMap))(hash(HashSetSymbolKey)));
  },
  [symbol2](that) {
    if (isHashSet(that)) {
      return size(this._keyMap) === size(that._keyMap) && equals(this._keyMap, that._keyMap);
    }
    return false;
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "HashSet",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeImpl2 = (keyMap) => {
  const set6 = Object.create(HashSetProto);
  set6._keyMap = keyMap;
  return set6;
};
var isHashSet = (u) => hasProperty(u, HashSetTypeId);
var _empty4 = /* @__PURE__ */ makeImpl2(/* @__PURE__ */ empty5());
var empty6 = () => _empty4;
var fromIterable4 = (elements) => {
  const set6 = beginMutation2(empty6());
  for (const value2 of elements) {
    add3(set6, value2);
  }
  return endMutation2(set6);
};
var make9 = (...elements) => {
  const set6 = beginMutation2(empty6());
  for (const value2 of elements) {
    add3(set6, value2);
  }
  return endMutation2(set6);
};
var has2 = /* @__PURE__ */ dual(2, (self, value2) => has(self._keyMap, value2));
var size2 = (self) => size(self._keyMap);
var beginMutation2 = (self) => makeImpl2(beginMutation(self._keyMap));
var endMutation2 = (self) => {
  ;
  self._keyMap._editable = false;
  return self;
};
var mutate2 = /* @__PURE__ */ dual(2, (self, f) => {
  const transient = beginMutation2(self);
  f(transient);
  return endMutation2(transient);
});
var add3 = /* @__PURE__ */ dual(2, (self, value2) => self._keyMap._editable ? (set(value2, true)(self._keyMap), self) : makeImpl2(set(value2, true)(self._keyMap)));
var remove3 = /* @__PURE__ */ dual(2, (self, value2) => self._keyMap._editable ? (remove2(value2)(self._keyMap), self) : makeImpl2(remove2(value2)(self._keyMap)));
var difference2 = /* @__PURE__ */ dual(2, (self, that) => mutate2(self, (set6) => {
  for (const value2 of that) {
    remove3(set6, value2);
  }
}));
var union2 = /* @__PURE__ */ dual(2, (self, that) => mutate2(empty6(), (set6) => {
  forEach2(self, (value2) => add3(set6, value2));
  for (const value2 of that) {
    add3(set6, value2);
  }
}));
var forEach2 = /* @__PURE__ */ dual(2, (self, f) => forEach(self._keyMap, (_, k) => f(k)));
var reduce3 = /* @__PURE__ */ dual(3, (self, zero3, f) => reduce2(self._keyMap, zero3, (z, _, a) => f(z, a)));

// node_modules/effect/dist/esm/HashSet.js
var empty7 = empty6;
var fromIterable5 = fromIterable4;
var make10 = make9;
var has3 = has2;
var size3 = size2;
var add4 = add3;
var remove4 = remove3;
var difference3 = difference2;
var union3 = union2;
var reduce4 = reduce3;

// node_modules/effect/dist/esm/MutableRef.js
var TypeId6 = /* @__PURE__ */ Symbol.for("effect/MutableRef");
var MutableRefProto = {
  [TypeId6]: TypeId6,
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "MutableRef",
      current: toJSON(this.current)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make11 = (value2) => {
  const ref = Object.create(MutableRefProto);
  ref.current = value2;
  return ref;
};
var compareAndSet = /* @__PURE__ */ dual(3, (self, oldValue, newValue) => {
  if (equals(oldValue, self.current)) {
    self.current = newValue;
    return true;
  }
  return false;
});
var get6 = (self) => self.current;
var set2 = /* @__PURE__ */ dual(2, (self, value2) => {
  self.current = value2;
  return self;
});

// node_modules/effect/dist/esm/internal/fiberId.js
var FiberIdSymbolKey = "effect/FiberId";
var FiberIdTypeId = /* @__PURE__ */ Symbol.for(FiberIdSymbolKey);
var OP_NONE = "None";
var OP_RUNTIME = "Runtime";
var OP_COMPOSITE = "Composite";
var emptyHash = /* @__PURE__ */ string(`${FiberIdSymbolKey}-${OP_NONE}`);
var None = class {
  [FiberIdTypeId] = FiberIdTypeId;
  _tag = OP_NONE;
  id = -1;
  startTimeMillis = -1;
  [symbol]() {
    return emptyHash;
  }
  [symbol2](that) {
    return isFiberId(that) && that._tag === OP_NONE;
  }
  toString() {
    return format(this.toJSON());
  }
  toJSON() {
    return {
      _id: "FiberId",
      _tag: this._tag
    };
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
};
var Runtime = class {
  id;
  startTimeMillis;
  [FiberIdTypeId] = FiberIdTypeId;
  _tag = OP_RUNTIME;
  constructor(id, startTimeMillis) {
    this.id = id;
    this.startTimeMillis = startTimeMillis;
  }
  [symbol]() {
    return cached(this, string(`${FiberIdSymbolKey}-${this._tag}-${this.id}-${this.startTimeMillis}`));
  }
  [symbol2](that) {
    return isFiberId(that) && that._tag === OP_RUNTIME && this.id === that.id && this.startTimeMillis === that.startTimeMillis;
  }
  toString() {
    return format(this.toJSON());
  }
  toJSON() {
    return {
      _id: "FiberId",
      _tag: this._tag,
      id: this.id,
      startTimeMillis: this.startTimeMillis
    };
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
};
var Composite = class {
  left;
  right;
  [FiberIdTypeId] = FiberIdTypeId;
  _tag = OP_COMPOSITE;
  constructor(left3, right3) {
    this.left = left3;
    this.right = right3;
  }
  _hash;
  [symbol]() {
    return pipe(string(`${FiberIdSymbolKey}-${this._tag}`), combine(hash(this.left)), combine(hash(this.right)), cached(this));
  }
  [symbol2](that) {
    return isFiberId(that) && that._tag === OP_COMPOSITE && equals(this.left, that.left) && equals(this.right, that.right);
  }
  toString() {
    return format(this.toJSON());
  }
  toJSON() {
    return {
      _id: "FiberId",
      _tag: this._tag,
      left: toJSON(this.left),
      right: toJSON(this.right)
    };
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
};
var none3 = /* @__PURE__ */ new None();
var isFiberId = (self) => hasProperty(self, FiberIdTypeId);
var combine2 = /* @__PURE__ */ dual(2, (self, that) => {
  if (self._tag === OP_NONE) {
    return that;
  }
  if (that._tag === OP_NONE) {
    return self;
  }
  return new Composite(self, that);
});
var ids = (self) => {
  switch (self._tag) {
    case OP_NONE: {
      return empty7();
    }
    case OP_RUNTIME: {
      return make10(self.id);
    }
    case OP_COMPOSITE: {
      return pipe(ids(self.left), union3(ids(self.right)));
    }
  }
};
var _fiberCounter = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Fiber/Id/_fiberCounter"), () => make11(0));
var threadName = (self) => {
  const identifiers = Array.from(ids(self)).map((n) => `#${n}`).join(",");
  return identifiers;
};
var unsafeMake = () => {
  const id = get6(_fiberCounter);
  pipe(_fiberCounter, set2(id + 1));
  return new Runtime(id, Date.now());
};

// node_modules/effect/dist/esm/FiberId.js
var none4 = none3;
var combine3 = combine2;
var threadName2 = threadName;
var unsafeMake2 = unsafeMake;

// node_modules/effect/dist/esm/HashMap.js
var empty8 = empty5;
var fromIterable6 = fromIterable3;
var isEmpty3 = isEmpty2;
var get7 = get5;
var set3 = set;
var keys2 = keys;
var mutate3 = mutate;
var modifyAt2 = modifyAt;
var map5 = map3;
var forEach3 = forEach;
var reduce5 = reduce2;

// node_modules/effect/dist/esm/List.js
var TypeId7 = /* @__PURE__ */ Symbol.for("effect/List");
var toArray2 = (self) => fromIterable(self);
var getEquivalence3 = (isEquivalent) => mapInput(getEquivalence(isEquivalent), toArray2);
var _equivalence4 = /* @__PURE__ */ getEquivalence3(equals);
var ConsProto = {
  [TypeId7]: TypeId7,
  _tag: "Cons",
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "List",
      _tag: "Cons",
      values: toArray2(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  [symbol2](that) {
    return isList(that) && this._tag === that._tag && _equivalence4(this, that);
  },
  [symbol]() {
    return cached(this, array2(toArray2(this)));
  },
  [Symbol.iterator]() {
    let done7 = false;
    let self = this;
    return {
      next() {
        if (done7) {
          return this.return();
        }
        if (self._tag === "Nil") {
          done7 = true;
          return this.return();
        }
        const value2 = self.head;
        self = self.tail;
        return {
          done: done7,
          value: value2
        };
      },
      return(value2) {
        if (!done7) {
          done7 = true;
        }
        return {
          done: true,
          value: value2
        };
      }
    };
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeCons = (head5, tail) => {
  const cons2 = Object.create(ConsProto);
  cons2.head = head5;
  cons2.tail = tail;
  return cons2;
};
var NilHash = /* @__PURE__ */ string("Nil");
var NilProto = {
  [TypeId7]: TypeId7,
  _tag: "Nil",
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "List",
      _tag: "Nil"
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  [symbol]() {
    return NilHash;
  },
  [symbol2](that) {
    return isList(that) && this._tag === that._tag;
  },
  [Symbol.iterator]() {
    return {
      next() {
        return {
          done: true,
          value: void 0
        };
      }
    };
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var _Nil = /* @__PURE__ */ Object.create(NilProto);
var isList = (u) => hasProperty(u, TypeId7);
var isNil = (self) => self._tag === "Nil";
var isCons = (self) => self._tag === "Cons";
var nil = () => _Nil;
var cons = (head5, tail) => makeCons(head5, tail);
var empty9 = nil;
var of3 = (value2) => makeCons(value2, _Nil);
var appendAll3 = /* @__PURE__ */ dual(2, (self, that) => prependAll(that, self));
var prepend3 = /* @__PURE__ */ dual(2, (self, element) => cons(element, self));
var prependAll = /* @__PURE__ */ dual(2, (self, prefix) => {
  if (isNil(self)) {
    return prefix;
  } else if (isNil(prefix)) {
    return self;
  } else {
    const result = makeCons(prefix.head, self);
    let curr = result;
    let that = prefix.tail;
    while (!isNil(that)) {
      const temp = makeCons(that.head, self);
      curr.tail = temp;
      curr = temp;
      that = that.tail;
    }
    return result;
  }
});
var reduce6 = /* @__PURE__ */ dual(3, (self, zero3, f) => {
  let acc = zero3;
  let these = self;
  while (!isNil(these)) {
    acc = f(acc, these.head);
    these = these.tail;
  }
  return acc;
});
var reverse3 = (self) => {
  let result = empty9();
  let these = self;
  while (!isNil(these)) {
    result = prepend3(result, these.head);
    these = these.tail;
  }
  return result;
};

// node_modules/effect/dist/esm/internal/data.js
var ArrayProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(Array.prototype), {
  [symbol]() {
    return cached(this, array2(this));
  },
  [symbol2](that) {
    if (Array.isArray(that) && this.length === that.length) {
      return this.every((v, i) => equals(v, that[i]));
    } else {
      return false;
    }
  }
});
var Structural = /* @__PURE__ */ (function() {
  function Structural2(args2) {
    if (args2) {
      Object.assign(this, args2);
    }
  }
  Structural2.prototype = StructuralPrototype;
  return Structural2;
})();
var struct = (as4) => Object.assign(Object.create(StructuralPrototype), as4);

// node_modules/effect/dist/esm/internal/differ/contextPatch.js
var ContextPatchTypeId = /* @__PURE__ */ Symbol.for("effect/DifferContextPatch");
function variance(a) {
  return a;
}
var PatchProto = {
  ...Structural.prototype,
  [ContextPatchTypeId]: {
    _Value: variance,
    _Patch: variance
  }
};
var EmptyProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto), {
  _tag: "Empty"
});
var _empty5 = /* @__PURE__ */ Object.create(EmptyProto);
var empty10 = () => _empty5;
var AndThenProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto), {
  _tag: "AndThen"
});
var makeAndThen = (first2, second) => {
  const o = Object.create(AndThenProto);
  o.first = first2;
  o.second = second;
  return o;
};
var AddServiceProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto), {
  _tag: "AddService"
});
var makeAddService = (key, service) => {
  const o = Object.create(AddServiceProto);
  o.key = key;
  o.service = service;
  return o;
};
var RemoveServiceProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto), {
  _tag: "RemoveService"
});
var makeRemoveService = (key) => {
  const o = Object.create(RemoveServiceProto);
  o.key = key;
  return o;
};
var UpdateServiceProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto), {
  _tag: "UpdateService"
});
var makeUpdateService = (key, update5) => {
  const o = Object.create(UpdateServiceProto);
  o.key = key;
  o.update = update5;
  return o;
};
var diff = (oldValue, newValue) => {
  const missingServices = new Map(oldValue.unsafeMap);
  let patch9 = empty10();
  for (const [tag, newService] of newValue.unsafeMap.entries()) {
    if (missingServices.has(tag)) {
      const old = missingServices.get(tag);
      missingServices.delete(tag);
      if (!equals(old, newService)) {
        patch9 = combine4(makeUpdateService(tag, () => newService))(patch9);
      }
    } else {
      missingServices.delete(tag);
      patch9 = combine4(makeAddService(tag, newService))(patch9);
    }
  }
  for (const [tag] of missingServices.entries()) {
    patch9 = combine4(makeRemoveService(tag))(patch9);
  }
  return patch9;
};
var combine4 = /* @__PURE__ */ dual(2, (self, that) => makeAndThen(self, that));
var patch = /* @__PURE__ */ dual(2, (self, context4) => {
  if (self._tag === "Empty") {
    return context4;
  }
  let wasServiceUpdated = false;
  let patches = of2(self);
  const updatedContext = new Map(context4.unsafeMap);
  while (isNonEmpty(patches)) {
    const head5 = headNonEmpty2(patches);
    const tail = tailNonEmpty2(patches);
    switch (head5._tag) {
      case "Empty": {
        patches = tail;
        break;
      }
      case "AddService": {
        updatedContext.set(head5.key, head5.service);
        patches = tail;
        break;
      }
      case "AndThen": {
        patches = prepend2(prepend2(tail, head5.second), head5.first);
        break;
      }
      case "RemoveService": {
        updatedContext.delete(head5.key);
        patches = tail;
        break;
      }
      case "UpdateService": {
        updatedContext.set(head5.key, head5.update(updatedContext.get(head5.key)));
        wasServiceUpdated = true;
        patches = tail;
        break;
      }
    }
  }
  if (!wasServiceUpdated) {
    return makeContext(updatedContext);
  }
  const map12 = /* @__PURE__ */ new Map();
  for (const [tag] of context4.unsafeMap) {
    if (updatedContext.has(tag)) {
      map12.set(tag, updatedContext.get(tag));
      updatedContext.delete(tag);
    }
  }
  for (const [tag, s] of updatedContext) {
    map12.set(tag, s);
  }
  return makeContext(map12);
});

// node_modules/effect/dist/esm/internal/differ/hashSetPatch.js
var HashSetPatchTypeId = /* @__PURE__ */ Symbol.for("effect/DifferHashSetPatch");
function variance2(a) {
  return a;
}
var PatchProto2 = {
  ...Structural.prototype,
  [HashSetPatchTypeId]: {
    _Value: variance2,
    _Key: variance2,
    _Patch: variance2
  }
};
var EmptyProto2 = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto2), {
  _tag: "Empty"
});
var _empty6 = /* @__PURE__ */ Object.create(EmptyProto2);
var empty11 = () => _empty6;
var AndThenProto2 = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto2), {
  _tag: "AndThen"
});
var makeAndThen2 = (first2, second) => {
  const o = Object.create(AndThenProto2);
  o.first = first2;
  o.second = second;
  return o;
};
var AddProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto2), {
  _tag: "Add"
});
var makeAdd = (value2) => {
  const o = Object.create(AddProto);
  o.value = value2;
  return o;
};
var RemoveProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto2), {
  _tag: "Remove"
});
var makeRemove = (value2) => {
  const o = Object.create(RemoveProto);
  o.value = value2;
  return o;
};
var diff2 = (oldValue, newValue) => {
  const [removed, patch9] = reduce4([oldValue, empty11()], ([set6, patch10], value2) => {
    if (has3(value2)(set6)) {
      return [remove4(value2)(set6), patch10];
    }
    return [set6, combine5(makeAdd(value2))(patch10)];
  })(newValue);
  return reduce4(patch9, (patch10, value2) => combine5(makeRemove(value2))(patch10))(removed);
};
var combine5 = /* @__PURE__ */ dual(2, (self, that) => makeAndThen2(self, that));
var patch2 = /* @__PURE__ */ dual(2, (self, oldValue) => {
  if (self._tag === "Empty") {
    return oldValue;
  }
  let set6 = oldValue;
  let patches = of2(self);
  while (isNonEmpty(patches)) {
    const head5 = headNonEmpty2(patches);
    const tail = tailNonEmpty2(patches);
    switch (head5._tag) {
      case "Empty": {
        patches = tail;
        break;
      }
      case "AndThen": {
        patches = prepend2(head5.first)(prepend2(head5.second)(tail));
        break;
      }
      case "Add": {
        set6 = add4(head5.value)(set6);
        patches = tail;
        break;
      }
      case "Remove": {
        set6 = remove4(head5.value)(set6);
        patches = tail;
      }
    }
  }
  return set6;
});

// node_modules/effect/dist/esm/internal/differ/readonlyArrayPatch.js
var ReadonlyArrayPatchTypeId = /* @__PURE__ */ Symbol.for("effect/DifferReadonlyArrayPatch");
function variance3(a) {
  return a;
}
var PatchProto3 = {
  ...Structural.prototype,
  [ReadonlyArrayPatchTypeId]: {
    _Value: variance3,
    _Patch: variance3
  }
};
var EmptyProto3 = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto3), {
  _tag: "Empty"
});
var _empty7 = /* @__PURE__ */ Object.create(EmptyProto3);
var empty12 = () => _empty7;
var AndThenProto3 = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto3), {
  _tag: "AndThen"
});
var makeAndThen3 = (first2, second) => {
  const o = Object.create(AndThenProto3);
  o.first = first2;
  o.second = second;
  return o;
};
var AppendProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto3), {
  _tag: "Append"
});
var makeAppend = (values3) => {
  const o = Object.create(AppendProto);
  o.values = values3;
  return o;
};
var SliceProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto3), {
  _tag: "Slice"
});
var makeSlice = (from, until) => {
  const o = Object.create(SliceProto);
  o.from = from;
  o.until = until;
  return o;
};
var UpdateProto = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(PatchProto3), {
  _tag: "Update"
});
var makeUpdate = (index, patch9) => {
  const o = Object.create(UpdateProto);
  o.index = index;
  o.patch = patch9;
  return o;
};
var diff3 = (options) => {
  let i = 0;
  let patch9 = empty12();
  while (i < options.oldValue.length && i < options.newValue.length) {
    const oldElement = options.oldValue[i];
    const newElement = options.newValue[i];
    const valuePatch = options.differ.diff(oldElement, newElement);
    if (!equals(valuePatch, options.differ.empty)) {
      patch9 = combine6(patch9, makeUpdate(i, valuePatch));
    }
    i = i + 1;
  }
  if (i < options.oldValue.length) {
    patch9 = combine6(patch9, makeSlice(0, i));
  }
  if (i < options.newValue.length) {
    patch9 = combine6(patch9, makeAppend(drop(i)(options.newValue)));
  }
  return patch9;
};
var combine6 = /* @__PURE__ */ dual(2, (self, that) => makeAndThen3(self, that));
var patch3 = /* @__PURE__ */ dual(3, (self, oldValue, differ3) => {
  if (self._tag === "Empty") {
    return oldValue;
  }
  let readonlyArray2 = oldValue.slice();
  let patches = of(self);
  while (isNonEmptyArray2(patches)) {
    const head5 = headNonEmpty(patches);
    const tail = tailNonEmpty(patches);
    switch (head5._tag) {
      case "Empty": {
        patches = tail;
        break;
      }
      case "AndThen": {
        tail.unshift(head5.first, head5.second);
        patches = tail;
        break;
      }
      case "Append": {
        for (const value2 of head5.values) {
          readonlyArray2.push(value2);
        }
        patches = tail;
        break;
      }
      case "Slice": {
        readonlyArray2 = readonlyArray2.slice(head5.from, head5.until);
        patches = tail;
        break;
      }
      case "Update": {
        readonlyArray2[head5.index] = differ3.patch(head5.patch, readonlyArray2[head5.index]);
        patches = tail;
        break;
      }
    }
  }
  return readonlyArray2;
});

// node_modules/effect/dist/esm/internal/differ.js
var DifferTypeId = /* @__PURE__ */ Symbol.for("effect/Differ");
var DifferProto = {
  [DifferTypeId]: {
    _P: identity,
    _V: identity
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make14 = (params) => {
  const differ3 = Object.create(DifferProto);
  differ3.empty = params.empty;
  differ3.diff = params.diff;
  differ3.combine = params.combine;
  differ3.patch = params.patch;
  return differ3;
};
var environment = () => make14({
  empty: empty10(),
  combine: (first2, second) => combine4(second)(first2),
  diff: (oldValue, newValue) => diff(oldValue, newValue),
  patch: (patch9, oldValue) => patch(oldValue)(patch9)
});
var hashSet = () => make14({
  empty: empty11(),
  combine: (first2, second) => combine5(second)(first2),
  diff: (oldValue, newValue) => diff2(oldValue, newValue),
  patch: (patch9, oldValue) => patch2(oldValue)(patch9)
});
var readonlyArray = (differ3) => make14({
  empty: empty12(),
  combine: (first2, second) => combine6(first2, second),
  diff: (oldValue, newValue) => diff3({
    oldValue,
    newValue,
    differ: differ3
  }),
  patch: (patch9, oldValue) => patch3(patch9, oldValue, differ3)
});
var update = () => updateWith((_, a) => a);
var updateWith = (f) => make14({
  empty: identity,
  combine: (first2, second) => {
    if (first2 === identity) {
      return second;
    }
    if (second === identity) {
      return first2;
    }
    return (a) => second(first2(a));
  },
  diff: (oldValue, newValue) => {
    if (equals(oldValue, newValue)) {
      return identity;
    }
    return constant(newValue);
  },
  patch: (patch9, oldValue) => f(oldValue, patch9(oldValue))
});

// node_modules/effect/dist/esm/internal/runtimeFlagsPatch.js
var BIT_MASK = 255;
var BIT_SHIFT = 8;
var active = (patch9) => patch9 & BIT_MASK;
var enabled = (patch9) => patch9 >> BIT_SHIFT & BIT_MASK;
var make15 = (active2, enabled2) => (active2 & BIT_MASK) + ((enabled2 & active2 & BIT_MASK) << BIT_SHIFT);
var empty13 = /* @__PURE__ */ make15(0, 0);
var enable = (flag) => make15(flag, flag);
var disable = (flag) => make15(flag, 0);
var exclude = /* @__PURE__ */ dual(2, (self, flag) => make15(active(self) & ~flag, enabled(self)));
var andThen = /* @__PURE__ */ dual(2, (self, that) => self | that);
var invert = (n) => ~n >>> 0 & BIT_MASK;

// node_modules/effect/dist/esm/internal/runtimeFlags.js
var None2 = 0;
var Interruption = 1 << 0;
var OpSupervision = 1 << 1;
var RuntimeMetrics = 1 << 2;
var WindDown = 1 << 4;
var CooperativeYielding = 1 << 5;
var cooperativeYielding = (self) => isEnabled(self, CooperativeYielding);
var disable2 = /* @__PURE__ */ dual(2, (self, flag) => self & ~flag);
var enable2 = /* @__PURE__ */ dual(2, (self, flag) => self | flag);
var interruptible = (self) => interruption(self) && !windDown(self);
var interruption = (self) => isEnabled(self, Interruption);
var isEnabled = /* @__PURE__ */ dual(2, (self, flag) => (self & flag) !== 0);
var make16 = (...flags) => flags.reduce((a, b) => a | b, 0);
var none5 = /* @__PURE__ */ make16(None2);
var runtimeMetrics = (self) => isEnabled(self, RuntimeMetrics);
var windDown = (self) => isEnabled(self, WindDown);
var diff4 = /* @__PURE__ */ dual(2, (self, that) => make15(self ^ that, that));
var patch4 = /* @__PURE__ */ dual(2, (self, patch9) => self & (invert(active(patch9)) | enabled(patch9)) | active(patch9) & enabled(patch9));
var differ = /* @__PURE__ */ make14({
  empty: empty13,
  diff: (oldValue, newValue) => diff4(oldValue, newValue),
  combine: (first2, second) => andThen(second)(first2),
  patch: (_patch, oldValue) => patch4(oldValue, _patch)
});

// node_modules/effect/dist/esm/RuntimeFlagsPatch.js
var empty14 = empty13;
var enable3 = enable;
var disable3 = disable;
var exclude2 = exclude;

// node_modules/effect/dist/esm/internal/blockedRequests.js
var empty15 = {
  _tag: "Empty"
};
var par = (self, that) => ({
  _tag: "Par",
  left: self,
  right: that
});
var seq = (self, that) => ({
  _tag: "Seq",
  left: self,
  right: that
});
var single = (dataSource, blockedRequest) => ({
  _tag: "Single",
  dataSource,
  blockedRequest
});
var flatten2 = (self) => {
  let current = of3(self);
  let updated2 = empty9();
  while (1) {
    const [parallel4, sequential4] = reduce6(current, [parallelCollectionEmpty(), empty9()], ([parallel5, sequential5], blockedRequest) => {
      const [par2, seq2] = step(blockedRequest);
      return [parallelCollectionCombine(parallel5, par2), appendAll3(sequential5, seq2)];
    });
    updated2 = merge4(updated2, parallel4);
    if (isNil(sequential4)) {
      return reverse3(updated2);
    }
    current = sequential4;
  }
  throw new Error("BUG: BlockedRequests.flatten - please report an issue at https://github.com/Effect-TS/effect/issues");
};
var step = (requests) => {
  let current = requests;
  let parallel4 = parallelCollectionEmpty();
  let stack = empty9();
  let sequential4 = empty9();
  while (1) {
    switch (current._tag) {
      case "Empty": {
        if (isNil(stack)) {
          return [parallel4, sequential4];
        }
        current = stack.head;
        stack = stack.tail;
        break;
      }
      case "Par": {
        stack = cons(current.right, stack);
        current = current.left;
        break;
      }
      case "Seq": {
        const left3 = current.left;
        const right3 = current.right;
        switch (left3._tag) {
          case "Empty": {
            current = right3;
            break;
          }
          case "Par": {
            const l = left3.left;
            const r2 = left3.right;
            current = par(seq(l, right3), seq(r2, right3));
            break;
          }
          case "Seq": {
            const l = left3.left;
            const r2 = left3.right;
            current = seq(l, seq(r2, right3));
            break;
          }
          case "Single": {
            current = left3;
            sequential4 = cons(right3, sequential4);
            break;
          }
        }
        break;
      }
      case "Single": {
        parallel4 = parallelCollectionAdd(parallel4, current);
        if (isNil(stack)) {
          return [parallel4, sequential4];
        }
        current = stack.head;
        stack = stack.tail;
        break;
      }
    }
  }
  throw new Error("BUG: BlockedRequests.step - please report an issue at https://github.com/Effect-TS/effect/issues");
};
var merge4 = (sequential4, parallel4) => {
  if (isNil(sequential4)) {
    return of3(parallelCollectionToSequentialCollection(parallel4));
  }
  if (parallelCollectionIsEmpty(parallel4)) {
    return sequential4;
  }
  const seqHeadKeys = sequentialCollectionKeys(sequential4.head);
  const parKeys = parallelCollectionKeys(parallel4);
  if (seqHeadKeys.length === 1 && parKeys.length === 1 && equals(seqHeadKeys[0], parKeys[0])) {
    return cons(sequentialCollectionCombine(sequential4.head, parallelCollectionToSequentialCollection(parallel4)), sequential4.tail);
  }
  return cons(parallelCollectionToSequentialCollection(parallel4), sequential4);
};
var EntryTypeId = /* @__PURE__ */ Symbol.for("effect/RequestBlock/Entry");
var EntryImpl = class {
  request;
  result;
  listeners;
  ownerId;
  state;
  [EntryTypeId] = blockedRequestVariance;
  constructor(request2, result, listeners, ownerId, state) {
    this.request = request2;
    this.result = result;
    this.listeners = listeners;
    this.ownerId = ownerId;
    this.state = state;
  }
};
var blockedRequestVariance = {
  /* c8 ignore next */
  _R: (_) => _
};
var makeEntry = (options) => new EntryImpl(options.request, options.result, options.listeners, options.ownerId, options.state);
var RequestBlockParallelTypeId = /* @__PURE__ */ Symbol.for("effect/RequestBlock/RequestBlockParallel");
var parallelVariance = {
  /* c8 ignore next */
  _R: (_) => _
};
var ParallelImpl = class {
  map;
  [RequestBlockParallelTypeId] = parallelVariance;
  constructor(map12) {
    this.map = map12;
  }
};
var parallelCollectionEmpty = () => new ParallelImpl(empty8());
var parallelCollectionAdd = (self, blockedRequest) => new ParallelImpl(modifyAt2(self.map, blockedRequest.dataSource, (_) => orElseSome(map(_, append2(blockedRequest.blockedRequest)), () => of2(blockedRequest.blockedRequest))));
var parallelCollectionCombine = (self, that) => new ParallelImpl(reduce5(self.map, that.map, (map12, value2, key) => set3(map12, key, match2(get7(map12, key), {
  onNone: () => value2,
  onSome: (other) => appendAll2(value2, other)
}))));
var parallelCollectionIsEmpty = (self) => isEmpty3(self.map);
var parallelCollectionKeys = (self) => Array.from(keys2(self.map));
var parallelCollectionToSequentialCollection = (self) => sequentialCollectionMake(map5(self.map, (x) => of2(x)));
var SequentialCollectionTypeId = /* @__PURE__ */ Symbol.for("effect/RequestBlock/RequestBlockSequential");
var sequentialVariance = {
  /* c8 ignore next */
  _R: (_) => _
};
var SequentialImpl = class {
  map;
  [SequentialCollectionTypeId] = sequentialVariance;
  constructor(map12) {
    this.map = map12;
  }
};
var sequentialCollectionMake = (map12) => new SequentialImpl(map12);
var sequentialCollectionCombine = (self, that) => new SequentialImpl(reduce5(that.map, self.map, (map12, value2, key) => set3(map12, key, match2(get7(map12, key), {
  onNone: () => empty4(),
  onSome: (a) => appendAll2(a, value2)
}))));
var sequentialCollectionKeys = (self) => Array.from(keys2(self.map));
var sequentialCollectionToChunk = (self) => Array.from(self.map);

// node_modules/effect/dist/esm/internal/opCodes/cause.js
var OP_DIE = "Die";
var OP_EMPTY = "Empty";
var OP_FAIL = "Fail";
var OP_INTERRUPT = "Interrupt";
var OP_PARALLEL = "Parallel";
var OP_SEQUENTIAL = "Sequential";

// node_modules/effect/dist/esm/internal/cause.js
var CauseSymbolKey = "effect/Cause";
var CauseTypeId = /* @__PURE__ */ Symbol.for(CauseSymbolKey);
var variance4 = {
  /* c8 ignore next */
  _E: (_) => _
};
var proto = {
  [CauseTypeId]: variance4,
  [symbol]() {
    return pipe(hash(CauseSymbolKey), combine(hash(flattenCause(this))), cached(this));
  },
  [symbol2](that) {
    return isCause(that) && causeEquals(this, that);
  },
  pipe() {
    return pipeArguments(this, arguments);
  },
  toJSON() {
    switch (this._tag) {
      case "Empty":
        return {
          _id: "Cause",
          _tag: this._tag
        };
      case "Die":
        return {
          _id: "Cause",
          _tag: this._tag,
          defect: toJSON(this.defect)
        };
      case "Interrupt":
        return {
          _id: "Cause",
          _tag: this._tag,
          fiberId: this.fiberId.toJSON()
        };
      case "Fail":
        return {
          _id: "Cause",
          _tag: this._tag,
          error: toJSON(this.error)
        };
      case "Sequential":
      case "Parallel":
        return {
          _id: "Cause",
          _tag: this._tag,
          left: toJSON(this.left),
          right: toJSON(this.right)
        };
    }
  },
  toString() {
    return pretty(this);
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
};
var empty16 = /* @__PURE__ */ (() => {
  const o = /* @__PURE__ */ Object.create(proto);
  o._tag = OP_EMPTY;
  return o;
})();
var fail = (error2) => {
  const o = Object.create(proto);
  o._tag = OP_FAIL;
  o.error = error2;
  return o;
};
var die = (defect) => {
  const o = Object.create(proto);
  o._tag = OP_DIE;
  o.defect = defect;
  return o;
};
var interrupt = (fiberId3) => {
  const o = Object.create(proto);
  o._tag = OP_INTERRUPT;
  o.fiberId = fiberId3;
  return o;
};
var parallel = (left3, right3) => {
  const o = Object.create(proto);
  o._tag = OP_PARALLEL;
  o.left = left3;
  o.right = right3;
  return o;
};
var sequential = (left3, right3) => {
  const o = Object.create(proto);
  o._tag = OP_SEQUENTIAL;
  o.left = left3;
  o.right = right3;
  return o;
};
var isCause = (u) => hasProperty(u, CauseTypeId);
var isEmptyType = (self) => self._tag === OP_EMPTY;
var isDieType = (self) => self._tag === OP_DIE;
var isEmpty5 = (self) => {
  if (self._tag === OP_EMPTY) {
    return true;
  }
  return reduce7(self, true, (acc, cause3) => {
    switch (cause3._tag) {
      case OP_EMPTY: {
        return some2(acc);
      }
      case OP_DIE:
      case OP_FAIL:
      case OP_INTERRUPT: {
        return some2(false);
      }
      default: {
        return none2();
      }
    }
  });
};
var isInterrupted = (self) => isSome2(interruptOption(self));
var isInterruptedOnly = (self) => reduceWithContext(void 0, IsInterruptedOnlyCauseReducer)(self);
var failures = (self) => reverse2(reduce7(self, empty4(), (list, cause3) => cause3._tag === OP_FAIL ? some2(pipe(list, prepend2(cause3.error))) : none2()));
var defects = (self) => reverse2(reduce7(self, empty4(), (list, cause3) => cause3._tag === OP_DIE ? some2(pipe(list, prepend2(cause3.defect))) : none2()));
var interruptors = (self) => reduce7(self, empty7(), (set6, cause3) => cause3._tag === OP_INTERRUPT ? some2(pipe(set6, add4(cause3.fiberId))) : none2());
var failureOption = (self) => find(self, (cause3) => cause3._tag === OP_FAIL ? some2(cause3.error) : none2());
var failureOrCause = (self) => {
  const option3 = failureOption(self);
  switch (option3._tag) {
    case "None": {
      return right2(self);
    }
    case "Some": {
      return left2(option3.value);
    }
  }
};
var interruptOption = (self) => find(self, (cause3) => cause3._tag === OP_INTERRUPT ? some2(cause3.fiberId) : none2());
var keepDefects = (self) => match4(self, {
  onEmpty: none2(),
  onFail: () => none2(),
  onDie: (defect) => some2(die(defect)),
  onInterrupt: () => none2(),
  onSequential: mergeWith(sequential),
  onParallel: mergeWith(parallel)
});
var keepDefectsAndElectFailures = (self) => match4(self, {
  onEmpty: none2(),
  onFail: (failure) => some2(die(failure)),
  onDie: (defect) => some2(die(defect)),
  onInterrupt: () => none2(),
  onSequential: mergeWith(sequential),
  onParallel: mergeWith(parallel)
});
var stripFailures = (self) => match4(self, {
  onEmpty: empty16,
  onFail: () => empty16,
  onDie: die,
  onInterrupt: interrupt,
  onSequential: sequential,
  onParallel: parallel
});
var electFailures = (self) => match4(self, {
  onEmpty: empty16,
  onFail: die,
  onDie: die,
  onInterrupt: interrupt,
  onSequential: sequential,
  onParallel: parallel
});
var flatMap6 = /* @__PURE__ */ dual(2, (self, f) => match4(self, {
  onEmpty: empty16,
  onFail: (error2) => f(error2),
  onDie: (defect) => die(defect),
  onInterrupt: (fiberId3) => interrupt(fiberId3),
  onSequential: (left3, right3) => sequential(left3, right3),
  onParallel: (left3, right3) => parallel(left3, right3)
}));
var flatten3 = (self) => flatMap6(self, identity);
var causeEquals = (left3, right3) => {
  let leftStack = of2(left3);
  let rightStack = of2(right3);
  while (isNonEmpty(leftStack) && isNonEmpty(rightStack)) {
    const [leftParallel, leftSequential] = pipe(headNonEmpty2(leftStack), reduce7([empty7(), empty4()], ([parallel4, sequential4], cause3) => {
      const [par2, seq2] = evaluateCause(cause3);
      return some2([pipe(parallel4, union3(par2)), pipe(sequential4, appendAll2(seq2))]);
    }));
    const [rightParallel, rightSequential] = pipe(headNonEmpty2(rightStack), reduce7([empty7(), empty4()], ([parallel4, sequential4], cause3) => {
      const [par2, seq2] = evaluateCause(cause3);
      return some2([pipe(parallel4, union3(par2)), pipe(sequential4, appendAll2(seq2))]);
    }));
    if (!equals(leftParallel, rightParallel)) {
      return false;
    }
    leftStack = leftSequential;
    rightStack = rightSequential;
  }
  return true;
};
var flattenCause = (cause3) => {
  return flattenCauseLoop(of2(cause3), empty4());
};
var flattenCauseLoop = (causes, flattened) => {
  while (1) {
    const [parallel4, sequential4] = pipe(causes, reduce([empty7(), empty4()], ([parallel5, sequential5], cause3) => {
      const [par2, seq2] = evaluateCause(cause3);
      return [pipe(parallel5, union3(par2)), pipe(sequential5, appendAll2(seq2))];
    }));
    const updated2 = size3(parallel4) > 0 ? pipe(flattened, prepend2(parallel4)) : flattened;
    if (isEmpty(sequential4)) {
      return reverse2(updated2);
    }
    causes = sequential4;
    flattened = updated2;
  }
  throw new Error(getBugErrorMessage("Cause.flattenCauseLoop"));
};
var find = /* @__PURE__ */ dual(2, (self, pf) => {
  const stack = [self];
  while (stack.length > 0) {
    const item = stack.pop();
    const option3 = pf(item);
    switch (option3._tag) {
      case "None": {
        switch (item._tag) {
          case OP_SEQUENTIAL:
          case OP_PARALLEL: {
            stack.push(item.right);
            stack.push(item.left);
            break;
          }
        }
        break;
      }
      case "Some": {
        return option3;
      }
    }
  }
  return none2();
});
var evaluateCause = (self) => {
  let cause3 = self;
  const stack = [];
  let _parallel = empty7();
  let _sequential = empty4();
  while (cause3 !== void 0) {
    switch (cause3._tag) {
      case OP_EMPTY: {
        if (stack.length === 0) {
          return [_parallel, _sequential];
        }
        cause3 = stack.pop();
        break;
      }
      case OP_FAIL: {
        _parallel = add4(_parallel, make6(cause3._tag, cause3.error));
        if (stack.length === 0) {
          return [_parallel, _sequential];
        }
        cause3 = stack.pop();
        break;
      }
      case OP_DIE: {
        _parallel = add4(_parallel, make6(cause3._tag, cause3.defect));
        if (stack.length === 0) {
          return [_parallel, _sequential];
        }
        cause3 = stack.pop();
        break;
      }
      case OP_INTERRUPT: {
        _parallel = add4(_parallel, make6(cause3._tag, cause3.fiberId));
        if (stack.length === 0) {
          return [_parallel, _sequential];
        }
        cause3 = stack.pop();
        break;
      }
      case OP_SEQUENTIAL: {
        switch (cause3.left._tag) {
          case OP_EMPTY: {
            cause3 = cause3.right;
            break;
          }
          case OP_SEQUENTIAL: {
            cause3 = sequential(cause3.left.left, sequential(cause3.left.right, cause3.right));
            break;
          }
          case OP_PARALLEL: {
            cause3 = parallel(sequential(cause3.left.left, cause3.right), sequential(cause3.left.right, cause3.right));
            break;
          }
          default: {
            _sequential = prepend2(_sequential, cause3.right);
            cause3 = cause3.left;
            break;
          }
        }
        break;
      }
      case OP_PARALLEL: {
        stack.push(cause3.right);
        cause3 = cause3.left;
        break;
      }
    }
  }
  throw new Error(getBugErrorMessage("Cause.evaluateCauseLoop"));
};
var IsInterruptedOnlyCauseReducer = {
  emptyCase: constTrue,
  failCase: constFalse,
  dieCase: constFalse,
  interruptCase: constTrue,
  sequentialCase: (_, left3, right3) => left3 && right3,
  parallelCase: (_, left3, right3) => left3 && right3
};
var OP_SEQUENTIAL_CASE = "SequentialCase";
var OP_PARALLEL_CASE = "ParallelCase";
var match4 = /* @__PURE__ */ dual(2, (self, {
  onDie,
  onEmpty,
  onFail,
  onInterrupt: onInterrupt3,
  onParallel,
  onSequential
}) => {
  return reduceWithContext(self, void 0, {
    emptyCase: () => onEmpty,
    failCase: (_, error2) => onFail(error2),
    dieCase: (_, defect) => onDie(defect),
    interruptCase: (_, fiberId3) => onInterrupt3(fiberId3),
    sequentialCase: (_, left3, right3) => onSequential(left3, right3),
    parallelCase: (_, left3, right3) => onParallel(left3, right3)
  });
});
var reduce7 = /* @__PURE__ */ dual(3, (self, zero3, pf) => {
  let accumulator = zero3;
  let cause3 = self;
  const causes = [];
  while (cause3 !== void 0) {
    const option3 = pf(accumulator, cause3);
    accumulator = isSome2(option3) ? option3.value : accumulator;
    switch (cause3._tag) {
      case OP_SEQUENTIAL: {
        causes.push(cause3.right);
        cause3 = cause3.left;
        break;
      }
      case OP_PARALLEL: {
        causes.push(cause3.right);
        cause3 = cause3.left;
        break;
      }
      default: {
        cause3 = void 0;
        break;
      }
    }
    if (cause3 === void 0 && causes.length > 0) {
      cause3 = causes.pop();
    }
  }
  return accumulator;
});
var reduceWithContext = /* @__PURE__ */ dual(3, (self, context4, reducer) => {
  const input = [self];
  const output = [];
  while (input.length > 0) {
    const cause3 = input.pop();
    switch (cause3._tag) {
      case OP_EMPTY: {
        output.push(right2(reducer.emptyCase(context4)));
        break;
      }
      case OP_FAIL: {
        output.push(right2(reducer.failCase(context4, cause3.error)));
        break;
      }
      case OP_DIE: {
        output.push(right2(reducer.dieCase(context4, cause3.defect)));
        break;
      }
      case OP_INTERRUPT: {
        output.push(right2(reducer.interruptCase(context4, cause3.fiberId)));
        break;
      }
      case OP_SEQUENTIAL: {
        input.push(cause3.right);
        input.push(cause3.left);
        output.push(left2({
          _tag: OP_SEQUENTIAL_CASE
        }));
        break;
      }
      case OP_PARALLEL: {
        input.push(cause3.right);
        input.push(cause3.left);
        output.push(left2({
          _tag: OP_PARALLEL_CASE
        }));
        break;
      }
    }
  }
  const accumulator = [];
  while (output.length > 0) {
    const either4 = output.pop();
    switch (either4._tag) {
      case "Left": {
        switch (either4.left._tag) {
          case OP_SEQUENTIAL_CASE: {
            const left3 = accumulator.pop();
            const right3 = accumulator.pop();
            const value2 = reducer.sequentialCase(context4, left3, right3);
            accumulator.push(value2);
            break;
          }
          case OP_PARALLEL_CASE: {
            const left3 = accumulator.pop();
            const right3 = accumulator.pop();
            const value2 = reducer.parallelCase(context4, left3, right3);
            accumulator.push(value2);
            break;
          }
        }
        break;
      }
      case "Right": {
        accumulator.push(either4.right);
        break;
      }
    }
  }
  if (accumulator.length === 0) {
    throw new Error("BUG: Cause.reduceWithContext - please report an issue at https://github.com/Effect-TS/effect/issues");
  }
  return accumulator.pop();
});
var pretty = (cause3, options) => {
  if (isInterruptedOnly(cause3)) {
    return "All fibers interrupted without errors.";
  }
  return prettyErrors(cause3).map(function(e) {
    if (options?.renderErrorCause !== true || e.cause === void 0) {
      return e.stack;
    }
    return `${e.stack} {
${renderErrorCause(e.cause, "  ")}
}`;
  }).join("\n");
};
var renderErrorCause = (cause3, prefix) => {
  const lines = cause3.stack.split("\n");
  let stack = `${prefix}[cause]: ${lines[0]}`;
  for (let i = 1, len = lines.length; i < len; i++) {
    stack += `
${prefix}${lines[i]}`;
  }
  if (cause3.cause) {
    stack += ` {
${renderErrorCause(cause3.cause, `${prefix}  `)}
${prefix}}`;
  }
  return stack;
};
var makePrettyError = (originalError) => {
  const originalErrorIsObject = typeof originalError === "object" && originalError !== null;
  const prevLimit = getStackTraceLimit();
  setStackTraceLimit(1);
  const error2 = new Error(prettyErrorMessage(originalError), originalErrorIsObject && "cause" in originalError && typeof originalError.cause !== "undefined" ? {
    cause: makePrettyError(originalError.cause)
  } : void 0);
  setStackTraceLimit(prevLimit);
  if (error2.message === "") {
    error2.message = "An error has occurred";
  }
  setStackTraceLimit(prevLimit);
  error2.name = originalError instanceof Error ? originalError.name : "Error";
  if (originalErrorIsObject) {
    if (spanSymbol in originalError) {
      error2.span = originalError[spanSymbol];
    }
    Object.keys(originalError).forEach((key) => {
      if (!(key in error2)) {
        error2[key] = originalError[key];
      }
    });
  }
  error2.stack = prettyErrorStack(`${error2.name}: ${error2.message}`, originalError instanceof Error && originalError.stack ? originalError.stack : "", error2.span);
  return error2;
};
var prettyErrorMessage = (u) => {
  if (typeof u === "string") {
    return u;
  }
  if (typeof u === "object" && u !== null && u instanceof Error) {
    return u.message;
  }
  try {
    if (hasProperty(u, "toString") && isFunction2(u["toString"]) && u["toString"] !== Object.prototype.toString && u["toString"] !== globalThis.Array.prototype.toString) {
      return u["toString"]();
    }
  } catch {
  }
  return stringifyCircular(u);
};
var locationRegex = /\((.*)\)/g;
var spanToTrace = /* @__PURE__ */ globalValue("effect/Tracer/spanToTrace", () => /* @__PURE__ */ new WeakMap());
var prettyErrorStack = (message, stack, span2) => {
  const out = [message];
  const lines = stack.startsWith(message) ? stack.slice(message.length).split("\n") : stack.split("\n");
  for (let i = 1; i < lines.length; i++) {
    if (lines[i].includes(" at new BaseEffectError") || lines[i].includes(" at new YieldableError")) {
      i++;
      continue;
    }
    if (lines[i].includes("Generator.next")) {
      break;
    }
    if (lines[i].includes("effect_internal_function")) {
      break;
    }
    out.push(lines[i].replace(/at .*effect_instruction_i.*\((.*)\)/, "at $1").replace(/EffectPrimitive\.\w+/, "<anonymous>"));
  }
  if (span2) {
    let current = span2;
    let i = 0;
    while (current && current._tag === "Span" && i < 10) {
      const stackFn = spanToTrace.get(current);
      if (typeof stackFn === "function") {
        const stack2 = stackFn();
        if (typeof stack2 === "string") {
          const locationMatchAll = stack2.matchAll(locationRegex);
          let match10 = false;
          for (const [, location] of locationMatchAll) {
            match10 = true;
            out.push(`    at ${current.name} (${location})`);
          }
          if (!match10) {
            out.push(`    at ${current.name} (${stack2.replace(/^at /, "")})`);
          }
        } else {
          out.push(`    at ${current.name}`);
        }
      } else {
        out.push(`    at ${current.name}`);
      }
      current = getOrUndefined(current.parent);
      i++;
    }
  }
  return out.join("\n");
};
var spanSymbol = /* @__PURE__ */ Symbol.for("effect/SpanAnnotation");
var prettyErrors = (cause3) => reduceWithContext(cause3, void 0, {
  emptyCase: () => [],
  dieCase: (_, unknownError) => {
    return [makePrettyError(unknownError)];
  },
  failCase: (_, error2) => {
    return [makePrettyError(error2)];
  },
  interruptCase: () => [],
  parallelCase: (_, l, r2) => [...l, ...r2],
  sequentialCase: (_, l, r2) => [...l, ...r2]
});

// node_modules/effect/dist/esm/internal/opCodes/deferred.js
var OP_STATE_PENDING = "Pending";
var OP_STATE_DONE = "Done";

// node_modules/effect/dist/esm/internal/deferred.js
var DeferredSymbolKey = "effect/Deferred";
var DeferredTypeId = /* @__PURE__ */ Symbol.for(DeferredSymbolKey);
var deferredVariance = {
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _A: (_) => _
};
var pending = (joiners) => {
  return {
    _tag: OP_STATE_PENDING,
    joiners
  };
};
var done = (effect) => {
  return {
    _tag: OP_STATE_DONE,
    effect
  };
};

// node_modules/effect/dist/esm/internal/singleShotGen.js
var SingleShotGen2 = class _SingleShotGen {
  self;
  called = false;
  constructor(self) {
    this.self = self;
  }
  next(a) {
    return this.called ? {
      value: a,
      done: true
    } : (this.called = true, {
      value: this.self,
      done: false
    });
  }
  return(a) {
    return {
      value: a,
      done: true
    };
  }
  throw(e) {
    throw e;
  }
  [Symbol.iterator]() {
    return new _SingleShotGen(this.self);
  }
};

// node_modules/effect/dist/esm/internal/core.js
var blocked = (blockedRequests, _continue3) => {
  const effect = new EffectPrimitive("Blocked");
  effect.effect_instruction_i0 = blockedRequests;
  effect.effect_instruction_i1 = _continue3;
  return effect;
};
var runRequestBlock = (blockedRequests) => {
  const effect = new EffectPrimitive("RunBlocked");
  effect.effect_instruction_i0 = blockedRequests;
  return effect;
};
var EffectTypeId2 = /* @__PURE__ */ Symbol.for("effect/Effect");
var RevertFlags = class {
  patch;
  op;
  _op = OP_REVERT_FLAGS;
  constructor(patch9, op) {
    this.patch = patch9;
    this.op = op;
  }
};
var EffectPrimitive = class {
  _op;
  effect_instruction_i0 = void 0;
  effect_instruction_i1 = void 0;
  effect_instruction_i2 = void 0;
  trace = void 0;
  [EffectTypeId2] = effectVariance;
  constructor(_op) {
    this._op = _op;
  }
  [symbol2](that) {
    return this === that;
  }
  [symbol]() {
    return cached(this, random(this));
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
  toJSON() {
    return {
      _id: "Effect",
      _op: this._op,
      effect_instruction_i0: toJSON(this.effect_instruction_i0),
      effect_instruction_i1: toJSON(this.effect_instruction_i1),
      effect_instruction_i2: toJSON(this.effect_instruction_i2)
    };
  }
  toString() {
    return format(this.toJSON());
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
  [Symbol.iterator]() {
    return new SingleShotGen2(new YieldWrap(this));
  }
};
var EffectPrimitiveFailure = class {
  _op;
  effect_instruction_i0 = void 0;
  effect_instruction_i1 = void 0;
  effect_instruction_i2 = void 0;
  trace = void 0;
  [EffectTypeId2] = effectVariance;
  constructor(_op) {
    this._op = _op;
    this._tag = _op;
  }
  [symbol2](that) {
    return exitIsExit(that) && that._op === "Failure" && // @ts-expect-error
    equals(this.effect_instruction_i0, that.effect_instruction_i0);
  }
  [symbol]() {
    return pipe(
      // @ts-expect-error
      string(this._tag),
      // @ts-expect-error
      combine(hash(this.effect_instruction_i0)),
      cached(this)
    );
  }
  get cause() {
    return this.effect_instruction_i0;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
  toJSON() {
    return {
      _id: "Exit",
      _tag: this._op,
      cause: this.cause.toJSON()
    };
  }
  toString() {
    return format(this.toJSON());
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
  [Symbol.iterator]() {
    return new SingleShotGen2(new YieldWrap(this));
  }
};
var EffectPrimitiveSuccess = class {
  _op;
  effect_instruction_i0 = void 0;
  effect_instruction_i1 = void 0;
  effect_instruction_i2 = void 0;
  trace = void 0;
  [EffectTypeId2] = effectVariance;
  constructor(_op) {
    this._op = _op;
    this._tag = _op;
  }
  [symbol2](that) {
    return exitIsExit(that) && that._op === "Success" && // @ts-expect-error
    equals(this.effect_instruction_i0, that.effect_instruction_i0);
  }
  [symbol]() {
    return pipe(
      // @ts-expect-error
      string(this._tag),
      // @ts-expect-error
      combine(hash(this.effect_instruction_i0)),
      cached(this)
    );
  }
  get value() {
    return this.effect_instruction_i0;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
  toJSON() {
    return {
      _id: "Exit",
      _tag: this._op,
      value: toJSON(this.value)
    };
  }
  toString() {
    return format(this.toJSON());
  }
  [NodeInspectSymbol]() {
    return this.toJSON();
  }
  [Symbol.iterator]() {
    return new SingleShotGen2(new YieldWrap(this));
  }
};
var isEffect = (u) => hasProperty(u, EffectTypeId2);
var withFiberRuntime = (withRuntime) => {
  const effect = new EffectPrimitive(OP_WITH_RUNTIME);
  effect.effect_instruction_i0 = withRuntime;
  return effect;
};
var acquireUseRelease = /* @__PURE__ */ dual(3, (acquire, use, release2) => uninterruptibleMask((restore) => flatMap7(acquire, (a) => flatMap7(exit(suspend(() => restore(use(a)))), (exit4) => {
  return suspend(() => release2(a, exit4)).pipe(matchCauseEffect({
    onFailure: (cause3) => {
      switch (exit4._tag) {
        case OP_FAILURE:
          return failCause(sequential(exit4.effect_instruction_i0, cause3));
        case OP_SUCCESS:
          return failCause(cause3);
      }
    },
    onSuccess: () => exit4
  }));
}))));
var as = /* @__PURE__ */ dual(2, (self, value2) => flatMap7(self, () => succeed(value2)));
var asVoid = (self) => as(self, void 0);
var custom = function() {
  const wrapper = new EffectPrimitive(OP_COMMIT);
  switch (arguments.length) {
    case 2: {
      wrapper.effect_instruction_i0 = arguments[0];
      wrapper.commit = arguments[1];
      break;
    }
    case 3: {
      wrapper.effect_instruction_i0 = arguments[0];
      wrapper.effect_instruction_i1 = arguments[1];
      wrapper.commit = arguments[2];
      break;
    }
    case 4: {
      wrapper.effect_instruction_i0 = arguments[0];
      wrapper.effect_instruction_i1 = arguments[1];
      wrapper.effect_instruction_i2 = arguments[2];
      wrapper.commit = arguments[3];
      break;
    }
    default: {
      throw new Error(getBugErrorMessage("you're not supposed to end up here"));
    }
  }
  return wrapper;
};
var unsafeAsync = (register, blockingOn = none4) => {
  const effect = new EffectPrimitive(OP_ASYNC);
  let cancelerRef = void 0;
  effect.effect_instruction_i0 = (resume2) => {
    cancelerRef = register(resume2);
  };
  effect.effect_instruction_i1 = blockingOn;
  return onInterrupt(effect, (_) => isEffect(cancelerRef) ? cancelerRef : void_);
};
var asyncInterrupt = (register, blockingOn = none4) => suspend(() => unsafeAsync(register, blockingOn));
var async_ = (resume2, blockingOn = none4) => {
  return custom(resume2, function() {
    let backingResume = void 0;
    let pendingEffect = void 0;
    function proxyResume(effect2) {
      if (backingResume) {
        backingResume(effect2);
      } else if (pendingEffect === void 0) {
        pendingEffect = effect2;
      }
    }
    const effect = new EffectPrimitive(OP_ASYNC);
    effect.effect_instruction_i0 = (resume3) => {
      backingResume = resume3;
      if (pendingEffect) {
        resume3(pendingEffect);
      }
    };
    effect.effect_instruction_i1 = blockingOn;
    let cancelerRef = void 0;
    let controllerRef = void 0;
    if (this.effect_instruction_i0.length !== 1) {
      controllerRef = new AbortController();
      cancelerRef = internalCall(() => this.effect_instruction_i0(proxyResume, controllerRef.signal));
    } else {
      cancelerRef = internalCall(() => this.effect_instruction_i0(proxyResume));
    }
    return cancelerRef || controllerRef ? onInterrupt(effect, (_) => {
      if (controllerRef) {
        controllerRef.abort();
      }
      return cancelerRef ?? void_;
    }) : effect;
  });
};
var catchAllCause = /* @__PURE__ */ dual(2, (self, f) => {
  const effect = new EffectPrimitive(OP_ON_FAILURE);
  effect.effect_instruction_i0 = self;
  effect.effect_instruction_i1 = f;
  return effect;
});
var catchAll = /* @__PURE__ */ dual(2, (self, f) => matchEffect(self, {
  onFailure: f,
  onSuccess: succeed
}));
var catchIf = /* @__PURE__ */ dual(3, (self, predicate, f) => catchAllCause(self, (cause3) => {
  const either4 = failureOrCause(cause3);
  switch (either4._tag) {
    case "Left":
      return predicate(either4.left) ? f(either4.left) : failCause(cause3);
    case "Right":
      return failCause(either4.right);
  }
}));
var catchSome = /* @__PURE__ */ dual(2, (self, pf) => catchAllCause(self, (cause3) => {
  const either4 = failureOrCause(cause3);
  switch (either4._tag) {
    case "Left":
      return pipe(pf(either4.left), getOrElse(() => failCause(cause3)));
    case "Right":
      return failCause(either4.right);
  }
}));
var checkInterruptible = (f) => withFiberRuntime((_, status) => f(interruption(status.runtimeFlags)));
var originalSymbol = /* @__PURE__ */ Symbol.for("effect/OriginalAnnotation");
var capture = (obj, span2) => {
  if (isSome2(span2)) {
    return new Proxy(obj, {
      has(target, p) {
        return p === spanSymbol || p === originalSymbol || p in target;
      },
      get(target, p) {
        if (p === spanSymbol) {
          return span2.value;
        }
        if (p === originalSymbol) {
          return obj;
        }
        return target[p];
      }
    });
  }
  return obj;
};
var die2 = (defect) => isObject(defect) && !(spanSymbol in defect) ? withFiberRuntime((fiber) => failCause(die(capture(defect, currentSpanFromFiber(fiber))))) : failCause(die(defect));
var dieMessage = (message) => failCauseSync(() => die(new RuntimeException(message)));
var dieSync = (evaluate2) => flatMap7(sync(evaluate2), die2);
var either2 = (self) => matchEffect(self, {
  onFailure: (e) => succeed(left2(e)),
  onSuccess: (a) => succeed(right2(a))
});
var exit = (self) => matchCause(self, {
  onFailure: exitFailCause,
  onSuccess: exitSucceed
});
var fail2 = (error2) => isObject(error2) && !(spanSymbol in error2) ? withFiberRuntime((fiber) => failCause(fail(capture(error2, currentSpanFromFiber(fiber))))) : failCause(fail(error2));
var failSync = (evaluate2) => flatMap7(sync(evaluate2), fail2);
var failCause = (cause3) => {
  const effect = new EffectPrimitiveFailure(OP_FAILURE);
  effect.effect_instruction_i0 = cause3;
  return effect;
};
var failCauseSync = (evaluate2) => flatMap7(sync(evaluate2), failCause);
var fiberId = /* @__PURE__ */ withFiberRuntime((state) => succeed(state.id()));
var fiberIdWith = (f) => withFiberRuntime((state) => f(state.id()));
var flatMap7 = /* @__PURE__ */ dual(2, (self, f) => {
  const effect = new EffectPrimitive(OP_ON_SUCCESS);
  effect.effect_instruction_i0 = self;
  effect.effect_instruction_i1 = f;
  return effect;
});
var andThen2 = /* @__PURE__ */ dual(2, (self, f) => flatMap7(self, (a) => {
  const b = typeof f === "function" ? f(a) : f;
  if (isEffect(b)) {
    return b;
  } else if (isPromiseLike(b)) {
    return unsafeAsync((resume2) => {
      b.then((a2) => resume2(succeed(a2)), (e) => resume2(fail2(new UnknownException(e, "An unknown error occurred in Effect.andThen"))));
    });
  }
  return succeed(b);
}));
var step2 = (self) => {
  const effect = new EffectPrimitive("OnStep");
  effect.effect_instruction_i0 = self;
  return effect;
};
var flatten4 = (self) => flatMap7(self, identity);
var flip = (self) => matchEffect(self, {
  onFailure: succeed,
  onSuccess: fail2
});
var matchCause = /* @__PURE__ */ dual(2, (self, options) => matchCauseEffect(self, {
  onFailure: (cause3) => succeed(options.onFailure(cause3)),
  onSuccess: (a) => succeed(options.onSuccess(a))
}));
var matchCauseEffect = /* @__PURE__ */ dual(2, (self, options) => {
  const effect = new EffectPrimitive(OP_ON_SUCCESS_AND_FAILURE);
  effect.effect_instruction_i0 = self;
  effect.effect_instruction_i1 = options.onFailure;
  effect.effect_instruction_i2 = options.onSuccess;
  return effect;
});
var matchEffect = /* @__PURE__ */ dual(2, (self, options) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const defects2 = defects(cause3);
    if (defects2.length > 0) {
      return failCause(electFailures(cause3));
    }
    const failures2 = failures(cause3);
    if (failures2.length > 0) {
      return options.onFailure(unsafeHead(failures2));
    }
    return failCause(cause3);
  },
  onSuccess: options.onSuccess
}));
var forEachSequential = /* @__PURE__ */ dual(2, (self, f) => suspend(() => {
  const arr = fromIterable(self);
  const ret = allocate(arr.length);
  let i = 0;
  return as(whileLoop({
    while: () => i < arr.length,
    body: () => f(arr[i], i),
    step: (b) => {
      ret[i++] = b;
    }
  }), ret);
}));
var forEachSequentialDiscard = /* @__PURE__ */ dual(2, (self, f) => suspend(() => {
  const arr = fromIterable(self);
  let i = 0;
  return whileLoop({
    while: () => i < arr.length,
    body: () => f(arr[i], i),
    step: () => {
      i++;
    }
  });
}));
var if_ = /* @__PURE__ */ dual((args2) => typeof args2[0] === "boolean" || isEffect(args2[0]), (self, options) => isEffect(self) ? flatMap7(self, (b) => b ? options.onTrue() : options.onFalse()) : self ? options.onTrue() : options.onFalse());
var interrupt2 = /* @__PURE__ */ flatMap7(fiberId, (fiberId3) => interruptWith(fiberId3));
var interruptWith = (fiberId3) => failCause(interrupt(fiberId3));
var interruptible2 = (self) => {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = enable3(Interruption);
  effect.effect_instruction_i1 = () => self;
  return effect;
};
var interruptibleMask = (f) => custom(f, function() {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = enable3(Interruption);
  effect.effect_instruction_i1 = (oldFlags) => interruption(oldFlags) ? internalCall(() => this.effect_instruction_i0(interruptible2)) : internalCall(() => this.effect_instruction_i0(uninterruptible));
  return effect;
});
var intoDeferred = /* @__PURE__ */ dual(2, (self, deferred) => uninterruptibleMask((restore) => flatMap7(exit(restore(self)), (exit4) => deferredDone(deferred, exit4))));
var map8 = /* @__PURE__ */ dual(2, (self, f) => flatMap7(self, (a) => sync(() => f(a))));
var mapBoth = /* @__PURE__ */ dual(2, (self, options) => matchEffect(self, {
  onFailure: (e) => failSync(() => options.onFailure(e)),
  onSuccess: (a) => sync(() => options.onSuccess(a))
}));
var mapError = /* @__PURE__ */ dual(2, (self, f) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const either4 = failureOrCause(cause3);
    switch (either4._tag) {
      case "Left": {
        return failSync(() => f(either4.left));
      }
      case "Right": {
        return failCause(either4.right);
      }
    }
  },
  onSuccess: succeed
}));
var onError = /* @__PURE__ */ dual(2, (self, cleanup) => onExit(self, (exit4) => exitIsSuccess(exit4) ? void_ : cleanup(exit4.effect_instruction_i0)));
var onExit = /* @__PURE__ */ dual(2, (self, cleanup) => uninterruptibleMask((restore) => matchCauseEffect(restore(self), {
  onFailure: (cause1) => {
    const result = exitFailCause(cause1);
    return matchCauseEffect(cleanup(result), {
      onFailure: (cause22) => exitFailCause(sequential(cause1, cause22)),
      onSuccess: () => result
    });
  },
  onSuccess: (success) => {
    const result = exitSucceed(success);
    return zipRight(cleanup(result), result);
  }
})));
var onInterrupt = /* @__PURE__ */ dual(2, (self, cleanup) => onExit(self, exitMatch({
  onFailure: (cause3) => isInterruptedOnly(cause3) ? asVoid(cleanup(interruptors(cause3))) : void_,
  onSuccess: () => void_
})));
var orElse = /* @__PURE__ */ dual(2, (self, that) => attemptOrElse(self, that, succeed));
var orDie = (self) => orDieWith(self, identity);
var orDieWith = /* @__PURE__ */ dual(2, (self, f) => matchEffect(self, {
  onFailure: (e) => die2(f(e)),
  onSuccess: succeed
}));
var partitionMap2 = partitionMap;
var runtimeFlags = /* @__PURE__ */ withFiberRuntime((_, status) => succeed(status.runtimeFlags));
var succeed = (value2) => {
  const effect = new EffectPrimitiveSuccess(OP_SUCCESS);
  effect.effect_instruction_i0 = value2;
  return effect;
};
var suspend = (evaluate2) => {
  const effect = new EffectPrimitive(OP_COMMIT);
  effect.commit = evaluate2;
  return effect;
};
var sync = (thunk) => {
  const effect = new EffectPrimitive(OP_SYNC);
  effect.effect_instruction_i0 = thunk;
  return effect;
};
var tap = /* @__PURE__ */ dual((args2) => args2.length === 3 || args2.length === 2 && !(isObject(args2[1]) && "onlyEffect" in args2[1]), (self, f) => flatMap7(self, (a) => {
  const b = typeof f === "function" ? f(a) : f;
  if (isEffect(b)) {
    return as(b, a);
  } else if (isPromiseLike(b)) {
    return unsafeAsync((resume2) => {
      b.then((_) => resume2(succeed(a)), (e) => resume2(fail2(new UnknownException(e, "An unknown error occurred in Effect.tap"))));
    });
  }
  return succeed(a);
}));
var transplant = (f) => withFiberRuntime((state) => {
  const scopeOverride = state.getFiberRef(currentForkScopeOverride);
  const scope3 = pipe(scopeOverride, getOrElse(() => state.scope()));
  return f(fiberRefLocally(currentForkScopeOverride, some2(scope3)));
});
var attemptOrElse = /* @__PURE__ */ dual(3, (self, that, onSuccess) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const defects2 = defects(cause3);
    if (defects2.length > 0) {
      return failCause(getOrThrow(keepDefectsAndElectFailures(cause3)));
    }
    return that();
  },
  onSuccess
}));
var uninterruptible = (self) => {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = disable3(Interruption);
  effect.effect_instruction_i1 = () => self;
  return effect;
};
var uninterruptibleMask = (f) => custom(f, function() {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = disable3(Interruption);
  effect.effect_instruction_i1 = (oldFlags) => interruption(oldFlags) ? internalCall(() => this.effect_instruction_i0(interruptible2)) : internalCall(() => this.effect_instruction_i0(uninterruptible));
  return effect;
});
var void_ = /* @__PURE__ */ succeed(void 0);
var updateRuntimeFlags = (patch9) => {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = patch9;
  effect.effect_instruction_i1 = void 0;
  return effect;
};
var whenEffect = /* @__PURE__ */ dual(2, (self, condition) => flatMap7(condition, (b) => {
  if (b) {
    return pipe(self, map8(some2));
  }
  return succeed(none2());
}));
var whileLoop = (options) => {
  const effect = new EffectPrimitive(OP_WHILE);
  effect.effect_instruction_i0 = options.while;
  effect.effect_instruction_i1 = options.body;
  effect.effect_instruction_i2 = options.step;
  return effect;
};
var fromIterator = (iterator) => suspend(() => {
  const effect = new EffectPrimitive(OP_ITERATOR);
  effect.effect_instruction_i0 = iterator();
  return effect;
});
var gen = function() {
  const f = arguments.length === 1 ? arguments[0] : arguments[1].bind(arguments[0]);
  return fromIterator(() => f(pipe));
};
var fnUntraced = (body, ...pipeables) => Object.defineProperty(pipeables.length === 0 ? function(...args2) {
  return fromIterator(() => body.apply(this, args2));
} : function(...args2) {
  let effect = fromIterator(() => body.apply(this, args2));
  for (const x of pipeables) {
    effect = x(effect, ...args2);
  }
  return effect;
}, "length", {
  value: body.length,
  configurable: true
});
var withConcurrency = /* @__PURE__ */ dual(2, (self, concurrency) => fiberRefLocally(self, currentConcurrency, concurrency));
var withRequestBatching = /* @__PURE__ */ dual(2, (self, requestBatching) => fiberRefLocally(self, currentRequestBatching, requestBatching));
var withRuntimeFlags = /* @__PURE__ */ dual(2, (self, update5) => {
  const effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
  effect.effect_instruction_i0 = update5;
  effect.effect_instruction_i1 = () => self;
  return effect;
});
var withTracerEnabled = /* @__PURE__ */ dual(2, (effect, enabled2) => fiberRefLocally(effect, currentTracerEnabled, enabled2));
var withTracerTiming = /* @__PURE__ */ dual(2, (effect, enabled2) => fiberRefLocally(effect, currentTracerTimingEnabled, enabled2));
var yieldNow = (options) => {
  const effect = new EffectPrimitive(OP_YIELD);
  return typeof options?.priority !== "undefined" ? withSchedulingPriority(effect, options.priority) : effect;
};
var zip2 = /* @__PURE__ */ dual(2, (self, that) => flatMap7(self, (a) => map8(that, (b) => [a, b])));
var zipLeft = /* @__PURE__ */ dual(2, (self, that) => flatMap7(self, (a) => as(that, a)));
var zipRight = /* @__PURE__ */ dual(2, (self, that) => flatMap7(self, () => that));
var zipWith2 = /* @__PURE__ */ dual(3, (self, that, f) => flatMap7(self, (a) => map8(that, (b) => f(a, b))));
var never = /* @__PURE__ */ asyncInterrupt(() => {
  const interval = setInterval(() => {
  }, 2 ** 31 - 1);
  return sync(() => clearInterval(interval));
});
var interruptFiber = (self) => flatMap7(fiberId, (fiberId3) => pipe(self, interruptAsFiber(fiberId3)));
var interruptAsFiber = /* @__PURE__ */ dual(2, (self, fiberId3) => flatMap7(self.interruptAsFork(fiberId3), () => self.await));
var logLevelAll = {
  _tag: "All",
  syslog: 0,
  label: "ALL",
  ordinal: Number.MIN_SAFE_INTEGER,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelFatal = {
  _tag: "Fatal",
  syslog: 2,
  label: "FATAL",
  ordinal: 5e4,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelError = {
  _tag: "Error",
  syslog: 3,
  label: "ERROR",
  ordinal: 4e4,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelWarning = {
  _tag: "Warning",
  syslog: 4,
  label: "WARN",
  ordinal: 3e4,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelInfo = {
  _tag: "Info",
  syslog: 6,
  label: "INFO",
  ordinal: 2e4,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelDebug = {
  _tag: "Debug",
  syslog: 7,
  label: "DEBUG",
  ordinal: 1e4,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelTrace = {
  _tag: "Trace",
  syslog: 7,
  label: "TRACE",
  ordinal: 0,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var logLevelNone = {
  _tag: "None",
  syslog: 7,
  label: "OFF",
  ordinal: Number.MAX_SAFE_INTEGER,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var FiberRefSymbolKey = "effect/FiberRef";
var FiberRefTypeId = /* @__PURE__ */ Symbol.for(FiberRefSymbolKey);
var fiberRefVariance = {
  /* c8 ignore next */
  _A: (_) => _
};
var fiberRefGet = (self) => withFiberRuntime((fiber) => exitSucceed(fiber.getFiberRef(self)));
var fiberRefGetWith = /* @__PURE__ */ dual(2, (self, f) => flatMap7(fiberRefGet(self), f));
var fiberRefSet = /* @__PURE__ */ dual(2, (self, value2) => fiberRefModify(self, () => [void 0, value2]));
var fiberRefModify = /* @__PURE__ */ dual(2, (self, f) => withFiberRuntime((state) => {
  const [b, a] = f(state.getFiberRef(self));
  state.setFiberRef(self, a);
  return succeed(b);
}));
var RequestResolverSymbolKey = "effect/RequestResolver";
var RequestResolverTypeId = /* @__PURE__ */ Symbol.for(RequestResolverSymbolKey);
var requestResolverVariance = {
  /* c8 ignore next */
  _A: (_) => _,
  /* c8 ignore next */
  _R: (_) => _
};
var RequestResolverImpl = class _RequestResolverImpl {
  runAll;
  target;
  [RequestResolverTypeId] = requestResolverVariance;
  constructor(runAll, target) {
    this.runAll = runAll;
    this.target = target;
  }
  [symbol]() {
    return cached(this, this.target ? hash(this.target) : random(this));
  }
  [symbol2](that) {
    return this.target ? isRequestResolver(that) && equals(this.target, that.target) : this === that;
  }
  identified(...ids3) {
    return new _RequestResolverImpl(this.runAll, fromIterable2(ids3));
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var isRequestResolver = (u) => hasProperty(u, RequestResolverTypeId);
var fiberRefLocally = /* @__PURE__ */ dual(3, (use, self, value2) => acquireUseRelease(zipLeft(fiberRefGet(self), fiberRefSet(self, value2)), () => use, (oldValue) => fiberRefSet(self, oldValue)));
var fiberRefLocallyWith = /* @__PURE__ */ dual(3, (use, self, f) => fiberRefGetWith(self, (a) => fiberRefLocally(use, self, f(a))));
var fiberRefUnsafeMake = (initial, options) => fiberRefUnsafeMakePatch(initial, {
  differ: update(),
  fork: options?.fork ?? identity,
  join: options?.join
});
var fiberRefUnsafeMakeHashSet = (initial) => {
  const differ3 = hashSet();
  return fiberRefUnsafeMakePatch(initial, {
    differ: differ3,
    fork: differ3.empty
  });
};
var fiberRefUnsafeMakeReadonlyArray = (initial) => {
  const differ3 = readonlyArray(update());
  return fiberRefUnsafeMakePatch(initial, {
    differ: differ3,
    fork: differ3.empty
  });
};
var fiberRefUnsafeMakeContext = (initial) => {
  const differ3 = environment();
  return fiberRefUnsafeMakePatch(initial, {
    differ: differ3,
    fork: differ3.empty
  });
};
var fiberRefUnsafeMakePatch = (initial, options) => {
  const _fiberRef = {
    ...CommitPrototype,
    [FiberRefTypeId]: fiberRefVariance,
    initial,
    commit() {
      return fiberRefGet(this);
    },
    diff: (oldValue, newValue) => options.differ.diff(oldValue, newValue),
    combine: (first2, second) => options.differ.combine(first2, second),
    patch: (patch9) => (oldValue) => options.differ.patch(patch9, oldValue),
    fork: options.fork,
    join: options.join ?? ((_, n) => n)
  };
  return _fiberRef;
};
var fiberRefUnsafeMakeRuntimeFlags = (initial) => fiberRefUnsafeMakePatch(initial, {
  differ,
  fork: differ.empty
});
var currentContext = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentContext"), () => fiberRefUnsafeMakeContext(empty3()));
var currentSchedulingPriority = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentSchedulingPriority"), () => fiberRefUnsafeMake(0));
var currentMaxOpsBeforeYield = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentMaxOpsBeforeYield"), () => fiberRefUnsafeMake(2048));
var currentLogAnnotations = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentLogAnnotation"), () => fiberRefUnsafeMake(empty8()));
var currentLogLevel = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentLogLevel"), () => fiberRefUnsafeMake(logLevelInfo));
var currentLogSpan = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentLogSpan"), () => fiberRefUnsafeMake(empty9()));
var withSchedulingPriority = /* @__PURE__ */ dual(2, (self, scheduler) => fiberRefLocally(self, currentSchedulingPriority, scheduler));
var withMaxOpsBeforeYield = /* @__PURE__ */ dual(2, (self, scheduler) => fiberRefLocally(self, currentMaxOpsBeforeYield, scheduler));
var currentConcurrency = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentConcurrency"), () => fiberRefUnsafeMake("unbounded"));
var currentRequestBatching = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentRequestBatching"), () => fiberRefUnsafeMake(true));
var currentUnhandledErrorLogLevel = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentUnhandledErrorLogLevel"), () => fiberRefUnsafeMake(some2(logLevelDebug)));
var currentVersionMismatchErrorLogLevel = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/versionMismatchErrorLogLevel"), () => fiberRefUnsafeMake(some2(logLevelWarning)));
var withUnhandledErrorLogLevel = /* @__PURE__ */ dual(2, (self, level) => fiberRefLocally(self, currentUnhandledErrorLogLevel, level));
var currentMetricLabels = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentMetricLabels"), () => fiberRefUnsafeMakeReadonlyArray(empty()));
var metricLabels = /* @__PURE__ */ fiberRefGet(currentMetricLabels);
var currentForkScopeOverride = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentForkScopeOverride"), () => fiberRefUnsafeMake(none2(), {
  fork: () => none2(),
  join: (parent, _) => parent
}));
var currentInterruptedCause = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentInterruptedCause"), () => fiberRefUnsafeMake(empty16, {
  fork: () => empty16,
  join: (parent, _) => parent
}));
var currentTracerEnabled = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentTracerEnabled"), () => fiberRefUnsafeMake(true));
var currentTracerTimingEnabled = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentTracerTiming"), () => fiberRefUnsafeMake(true));
var currentTracerSpanAnnotations = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentTracerSpanAnnotations"), () => fiberRefUnsafeMake(empty8()));
var currentTracerSpanLinks = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentTracerSpanLinks"), () => fiberRefUnsafeMake(empty4()));
var ScopeTypeId = /* @__PURE__ */ Symbol.for("effect/Scope");
var CloseableScopeTypeId = /* @__PURE__ */ Symbol.for("effect/CloseableScope");
var scopeAddFinalizer = (self, finalizer) => self.addFinalizer(() => asVoid(finalizer));
var scopeAddFinalizerExit = (self, finalizer) => self.addFinalizer(finalizer);
var scopeClose = (self, exit4) => self.close(exit4);
var scopeFork = (self, strategy) => self.fork(strategy);
var YieldableError = /* @__PURE__ */ (function() {
  class YieldableError2 extends globalThis.Error {
    commit() {
      return fail2(this);
    }
    toJSON() {
      const obj = {
        ...this
      };
      if (this.message) obj.message = this.message;
      if (this.cause) obj.cause = this.cause;
      return obj;
    }
    [NodeInspectSymbol]() {
      if (this.toString !== globalThis.Error.prototype.toString) {
        return this.stack ? `${this.toString()}
${this.stack.split("\n").slice(1).join("\n")}` : this.toString();
      } else if ("Bun" in globalThis) {
        return pretty(fail(this), {
          renderErrorCause: true
        });
      }
      return this;
    }
  }
  Object.assign(YieldableError2.prototype, StructuralCommitPrototype);
  return YieldableError2;
})();
var makeException = (proto4, tag) => {
  class Base3 extends YieldableError {
    _tag = tag;
  }
  Object.assign(Base3.prototype, proto4);
  Base3.prototype.name = tag;
  return Base3;
};
var RuntimeExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/RuntimeException");
var RuntimeException = /* @__PURE__ */ makeException({
  [RuntimeExceptionTypeId]: RuntimeExceptionTypeId
}, "RuntimeException");
var InterruptedExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/InterruptedException");
var InterruptedException = /* @__PURE__ */ makeException({
  [InterruptedExceptionTypeId]: InterruptedExceptionTypeId
}, "InterruptedException");
var isInterruptedException = (u) => hasProperty(u, InterruptedExceptionTypeId);
var IllegalArgumentExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/IllegalArgument");
var IllegalArgumentException = /* @__PURE__ */ makeException({
  [IllegalArgumentExceptionTypeId]: IllegalArgumentExceptionTypeId
}, "IllegalArgumentException");
var NoSuchElementExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/NoSuchElement");
var NoSuchElementException = /* @__PURE__ */ makeException({
  [NoSuchElementExceptionTypeId]: NoSuchElementExceptionTypeId
}, "NoSuchElementException");
var isNoSuchElementException = (u) => hasProperty(u, NoSuchElementExceptionTypeId);
var InvalidPubSubCapacityExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/InvalidPubSubCapacityException");
var InvalidPubSubCapacityException = /* @__PURE__ */ makeException({
  [InvalidPubSubCapacityExceptionTypeId]: InvalidPubSubCapacityExceptionTypeId
}, "InvalidPubSubCapacityException");
var ExceededCapacityExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/ExceededCapacityException");
var ExceededCapacityException = /* @__PURE__ */ makeException({
  [ExceededCapacityExceptionTypeId]: ExceededCapacityExceptionTypeId
}, "ExceededCapacityException");
var TimeoutExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/Timeout");
var TimeoutException = /* @__PURE__ */ makeException({
  [TimeoutExceptionTypeId]: TimeoutExceptionTypeId
}, "TimeoutException");
var timeoutExceptionFromDuration = (duration) => new TimeoutException(`Operation timed out after '${format2(duration)}'`);
var UnknownExceptionTypeId = /* @__PURE__ */ Symbol.for("effect/Cause/errors/UnknownException");
var UnknownException = /* @__PURE__ */ (function() {
  class UnknownException2 extends YieldableError {
    _tag = "UnknownException";
    error;
    constructor(cause3, message) {
      super(message ?? "An unknown error occurred", {
        cause: cause3
      });
      this.error = cause3;
    }
  }
  Object.assign(UnknownException2.prototype, {
    [UnknownExceptionTypeId]: UnknownExceptionTypeId,
    name: "UnknownException"
  });
  return UnknownException2;
})();
var exitIsExit = (u) => isEffect(u) && "_tag" in u && (u._tag === "Success" || u._tag === "Failure");
var exitIsFailure = (self) => self._tag === "Failure";
var exitIsSuccess = (self) => self._tag === "Success";
var exitAs = /* @__PURE__ */ dual(2, (self, value2) => {
  switch (self._tag) {
    case OP_FAILURE: {
      return exitFailCause(self.effect_instruction_i0);
    }
    case OP_SUCCESS: {
      return exitSucceed(value2);
    }
  }
});
var exitAsVoid = (self) => exitAs(self, void 0);
var exitCollectAll = (exits, options) => exitCollectAllInternal(exits, options?.parallel ? parallel : sequential);
var exitDie = (defect) => exitFailCause(die(defect));
var exitFail = (error2) => exitFailCause(fail(error2));
var exitFailCause = (cause3) => {
  const effect = new EffectPrimitiveFailure(OP_FAILURE);
  effect.effect_instruction_i0 = cause3;
  return effect;
};
var exitFlatMap = /* @__PURE__ */ dual(2, (self, f) => {
  switch (self._tag) {
    case OP_FAILURE: {
      return exitFailCause(self.effect_instruction_i0);
    }
    case OP_SUCCESS: {
      return f(self.effect_instruction_i0);
    }
  }
});
var exitFlatten = (self) => pipe(self, exitFlatMap(identity));
var exitInterrupt = (fiberId3) => exitFailCause(interrupt(fiberId3));
var exitMap = /* @__PURE__ */ dual(2, (self, f) => {
  switch (self._tag) {
    case OP_FAILURE:
      return exitFailCause(self.effect_instruction_i0);
    case OP_SUCCESS:
      return exitSucceed(f(self.effect_instruction_i0));
  }
});
var exitMatch = /* @__PURE__ */ dual(2, (self, {
  onFailure,
  onSuccess
}) => {
  switch (self._tag) {
    case OP_FAILURE:
      return onFailure(self.effect_instruction_i0);
    case OP_SUCCESS:
      return onSuccess(self.effect_instruction_i0);
  }
});
var exitMatchEffect = /* @__PURE__ */ dual(2, (self, {
  onFailure,
  onSuccess
}) => {
  switch (self._tag) {
    case OP_FAILURE:
      return onFailure(self.effect_instruction_i0);
    case OP_SUCCESS:
      return onSuccess(self.effect_instruction_i0);
  }
});
var exitSucceed = (value2) => {
  const effect = new EffectPrimitiveSuccess(OP_SUCCESS);
  effect.effect_instruction_i0 = value2;
  return effect;
};
var exitVoid = /* @__PURE__ */ exitSucceed(void 0);
var exitZipWith = /* @__PURE__ */ dual(3, (self, that, {
  onFailure,
  onSuccess
}) => {
  switch (self._tag) {
    case OP_FAILURE: {
      switch (that._tag) {
        case OP_SUCCESS:
          return exitFailCause(self.effect_instruction_i0);
        case OP_FAILURE: {
          return exitFailCause(onFailure(self.effect_instruction_i0, that.effect_instruction_i0));
        }
      }
    }
    case OP_SUCCESS: {
      switch (that._tag) {
        case OP_SUCCESS:
          return exitSucceed(onSuccess(self.effect_instruction_i0, that.effect_instruction_i0));
        case OP_FAILURE:
          return exitFailCause(that.effect_instruction_i0);
      }
    }
  }
});
var exitCollectAllInternal = (exits, combineCauses) => {
  const list = fromIterable2(exits);
  if (!isNonEmpty(list)) {
    return none2();
  }
  return pipe(tailNonEmpty2(list), reduce(pipe(headNonEmpty2(list), exitMap(of2)), (accumulator, current) => pipe(accumulator, exitZipWith(current, {
    onSuccess: (list2, value2) => pipe(list2, prepend2(value2)),
    onFailure: combineCauses
  }))), exitMap(reverse2), exitMap((chunk2) => toReadonlyArray(chunk2)), some2);
};
var deferredUnsafeMake = (fiberId3) => {
  const _deferred = {
    ...CommitPrototype,
    [DeferredTypeId]: deferredVariance,
    state: make11(pending([])),
    commit() {
      return deferredAwait(this);
    },
    blockingOn: fiberId3
  };
  return _deferred;
};
var deferredMake = () => flatMap7(fiberId, (id) => deferredMakeAs(id));
var deferredMakeAs = (fiberId3) => sync(() => deferredUnsafeMake(fiberId3));
var deferredAwait = (self) => asyncInterrupt((resume2) => {
  const state = get6(self.state);
  switch (state._tag) {
    case OP_STATE_DONE: {
      return resume2(state.effect);
    }
    case OP_STATE_PENDING: {
      state.joiners.push(resume2);
      return deferredInterruptJoiner(self, resume2);
    }
  }
}, self.blockingOn);
var deferredComplete = /* @__PURE__ */ dual(2, (self, effect) => intoDeferred(effect, self));
var deferredCompleteWith = /* @__PURE__ */ dual(2, (self, effect) => sync(() => {
  const state = get6(self.state);
  switch (state._tag) {
    case OP_STATE_DONE: {
      return false;
    }
    case OP_STATE_PENDING: {
      set2(self.state, done(effect));
      for (let i = 0, len = state.joiners.length; i < len; i++) {
        state.joiners[i](effect);
      }
      return true;
    }
  }
}));
var deferredDone = /* @__PURE__ */ dual(2, (self, exit4) => deferredCompleteWith(self, exit4));
var deferredFailCause = /* @__PURE__ */ dual(2, (self, cause3) => deferredCompleteWith(self, failCause(cause3)));
var deferredInterrupt = (self) => flatMap7(fiberId, (fiberId3) => deferredCompleteWith(self, interruptWith(fiberId3)));
var deferredSucceed = /* @__PURE__ */ dual(2, (self, value2) => deferredCompleteWith(self, succeed(value2)));
var deferredUnsafeDone = (self, effect) => {
  const state = get6(self.state);
  if (state._tag === OP_STATE_PENDING) {
    set2(self.state, done(effect));
    for (let i = 0, len = state.joiners.length; i < len; i++) {
      state.joiners[i](effect);
    }
  }
};
var deferredInterruptJoiner = (self, joiner) => sync(() => {
  const state = get6(self.state);
  if (state._tag === OP_STATE_PENDING) {
    const index = state.joiners.indexOf(joiner);
    if (index >= 0) {
      state.joiners.splice(index, 1);
    }
  }
});
var constContext = /* @__PURE__ */ withFiberRuntime((fiber) => exitSucceed(fiber.currentContext));
var context = () => constContext;
var contextWithEffect = (f) => flatMap7(context(), f);
var provideContext = /* @__PURE__ */ dual(2, (self, context4) => fiberRefLocally(currentContext, context4)(self));
var provideSomeContext = /* @__PURE__ */ dual(2, (self, context4) => fiberRefLocallyWith(currentContext, (parent) => merge3(parent, context4))(self));
var mapInputContext = /* @__PURE__ */ dual(2, (self, f) => contextWithEffect((context4) => provideContext(self, f(context4))));
var filterEffectOrElse = /* @__PURE__ */ dual(2, (self, options) => flatMap7(self, (a) => flatMap7(options.predicate(a), (pass) => pass ? succeed(a) : options.orElse(a))));
var filterEffectOrFail = /* @__PURE__ */ dual(2, (self, options) => filterEffectOrElse(self, {
  predicate: options.predicate,
  orElse: (a) => fail2(options.orFailWith(a))
}));
var currentSpanFromFiber = (fiber) => {
  const span2 = fiber.currentSpan;
  return span2 !== void 0 && span2._tag === "Span" ? some2(span2) : none2();
};
var NoopSpanProto = {
  _tag: "Span",
  spanId: "noop",
  traceId: "noop",
  sampled: false,
  status: {
    _tag: "Ended",
    startTime: /* @__PURE__ */ BigInt(0),
    endTime: /* @__PURE__ */ BigInt(0),
    exit: exitVoid
  },
  attributes: /* @__PURE__ */ new Map(),
  links: [],
  kind: "internal",
  attribute() {
  },
  event() {
  },
  end() {
  },
  addLinks() {
  }
};
var noopSpan = (options) => Object.assign(Object.create(NoopSpanProto), options);

// node_modules/effect/dist/esm/Deferred.js
var _await = deferredAwait;
var done2 = deferredDone;
var interrupt3 = deferredInterrupt;
var unsafeMake3 = deferredUnsafeMake;

// node_modules/effect/dist/esm/Exit.js
var flatten5 = exitFlatten;
var succeed2 = exitSucceed;

// node_modules/effect/dist/esm/MutableHashMap.js
var TypeId8 = /* @__PURE__ */ Symbol.for("effect/MutableHashMap");
var MutableHashMapProto = {
  [TypeId8]: TypeId8,
  [Symbol.iterator]() {
    return new MutableHashMapIterator(this);
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "MutableHashMap",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var MutableHashMapIterator = class _MutableHashMapIterator {
  self;
  referentialIterator;
  bucketIterator;
  constructor(self) {
    this.self = self;
    this.referentialIterator = self.referential[Symbol.iterator]();
  }
  next() {
    if (this.bucketIterator !== void 0) {
      return this.bucketIterator.next();
    }
    const result = this.referentialIterator.next();
    if (result.done) {
      this.bucketIterator = new BucketIterator(this.self.buckets.values());
      return this.next();
    }
    return result;
  }
  [Symbol.iterator]() {
    return new _MutableHashMapIterator(this.self);
  }
};
var BucketIterator = class {
  backing;
  constructor(backing) {
    this.backing = backing;
  }
  currentBucket;
  next() {
    if (this.currentBucket === void 0) {
      const result2 = this.backing.next();
      if (result2.done) {
        return result2;
      }
      this.currentBucket = result2.value[Symbol.iterator]();
    }
    const result = this.currentBucket.next();
    if (result.done) {
      this.currentBucket = void 0;
      return this.next();
    }
    return result;
  }
};
var empty17 = () => {
  const self = Object.create(MutableHashMapProto);
  self.referential = /* @__PURE__ */ new Map();
  self.buckets = /* @__PURE__ */ new Map();
  self.bucketsSize = 0;
  return self;
};
var get8 = /* @__PURE__ */ dual(2, (self, key) => {
  if (isEqual(key) === false) {
    return self.referential.has(key) ? some2(self.referential.get(key)) : none2();
  }
  const hash7 = key[symbol]();
  const bucket = self.buckets.get(hash7);
  if (bucket === void 0) {
    return none2();
  }
  return getFromBucket(self, bucket, key);
});
var getFromBucket = (self, bucket, key, remove8 = false) => {
  for (let i = 0, len = bucket.length; i < len; i++) {
    if (key[symbol2](bucket[i][0])) {
      const value2 = bucket[i][1];
      if (remove8) {
        bucket.splice(i, 1);
        self.bucketsSize--;
      }
      return some2(value2);
    }
  }
  return none2();
};
var has4 = /* @__PURE__ */ dual(2, (self, key) => isSome2(get8(self, key)));
var set4 = /* @__PURE__ */ dual(3, (self, key, value2) => {
  if (isEqual(key) === false) {
    self.referential.set(key, value2);
    return self;
  }
  const hash7 = key[symbol]();
  const bucket = self.buckets.get(hash7);
  if (bucket === void 0) {
    self.buckets.set(hash7, [[key, value2]]);
    self.bucketsSize++;
    return self;
  }
  removeFromBucket(self, bucket, key);
  bucket.push([key, value2]);
  self.bucketsSize++;
  return self;
});
var removeFromBucket = (self, bucket, key) => {
  for (let i = 0, len = bucket.length; i < len; i++) {
    if (key[symbol2](bucket[i][0])) {
      bucket.splice(i, 1);
      self.bucketsSize--;
      return;
    }
  }
};
var remove5 = /* @__PURE__ */ dual(2, (self, key) => {
  if (isEqual(key) === false) {
    self.referential.delete(key);
    return self;
  }
  const hash7 = key[symbol]();
  const bucket = self.buckets.get(hash7);
  if (bucket === void 0) {
    return self;
  }
  removeFromBucket(self, bucket, key);
  if (bucket.length === 0) {
    self.buckets.delete(hash7);
  }
  return self;
});
var size4 = (self) => {
  return self.referential.size + self.bucketsSize;
};

// node_modules/effect/dist/esm/MutableList.js
var TypeId9 = /* @__PURE__ */ Symbol.for("effect/MutableList");
var MutableListProto = {
  [TypeId9]: TypeId9,
  [Symbol.iterator]() {
    let done7 = false;
    let head5 = this.head;
    return {
      next() {
        if (done7) {
          return this.return();
        }
        if (head5 == null) {
          done7 = true;
          return this.return();
        }
        const value2 = head5.value;
        head5 = head5.next;
        return {
          done: done7,
          value: value2
        };
      },
      return(value2) {
        if (!done7) {
          done7 = true;
        }
        return {
          done: true,
          value: value2
        };
      }
    };
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "MutableList",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeNode = (value2) => ({
  value: value2,
  removed: false,
  prev: void 0,
  next: void 0
});
var empty18 = () => {
  const list = Object.create(MutableListProto);
  list.head = void 0;
  list.tail = void 0;
  list._length = 0;
  return list;
};
var isEmpty6 = (self) => length(self) === 0;
var length = (self) => self._length;
var append3 = /* @__PURE__ */ dual(2, (self, value2) => {
  const node = makeNode(value2);
  if (self.head === void 0) {
    self.head = node;
  }
  if (self.tail === void 0) {
    self.tail = node;
  } else {
    self.tail.next = node;
    node.prev = self.tail;
    self.tail = node;
  }
  ;
  self._length += 1;
  return self;
});
var shift = (self) => {
  const head5 = self.head;
  if (head5 !== void 0) {
    remove6(self, head5);
    return head5.value;
  }
  return void 0;
};
var remove6 = (self, node) => {
  if (node.removed) {
    return;
  }
  node.removed = true;
  if (node.prev !== void 0 && node.next !== void 0) {
    node.prev.next = node.next;
    node.next.prev = node.prev;
  } else if (node.prev !== void 0) {
    self.tail = node.prev;
    node.prev.next = void 0;
  } else if (node.next !== void 0) {
    self.head = node.next;
    node.next.prev = void 0;
  } else {
    self.tail = void 0;
    self.head = void 0;
  }
  if (self._length > 0) {
    ;
    self._length -= 1;
  }
};

// node_modules/effect/dist/esm/MutableQueue.js
var TypeId10 = /* @__PURE__ */ Symbol.for("effect/MutableQueue");
var EmptyMutableQueue = /* @__PURE__ */ Symbol.for("effect/mutable/MutableQueue/Empty");
var MutableQueueProto = {
  [TypeId10]: TypeId10,
  [Symbol.iterator]() {
    return Array.from(this.queue)[Symbol.iterator]();
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "MutableQueue",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make18 = (capacity) => {
  const queue = Object.create(MutableQueueProto);
  queue.queue = empty18();
  queue.capacity = capacity;
  return queue;
};
var unbounded = () => make18(void 0);
var offer = /* @__PURE__ */ dual(2, (self, value2) => {
  const queueLength = length(self.queue);
  if (self.capacity !== void 0 && queueLength === self.capacity) {
    return false;
  }
  append3(value2)(self.queue);
  return true;
});
var poll = /* @__PURE__ */ dual(2, (self, def) => {
  if (isEmpty6(self.queue)) {
    return def;
  }
  return shift(self.queue);
});

// node_modules/effect/dist/esm/internal/clock.js
var ClockSymbolKey = "effect/Clock";
var ClockTypeId = /* @__PURE__ */ Symbol.for(ClockSymbolKey);
var clockTag = /* @__PURE__ */ GenericTag("effect/Clock");
var MAX_TIMER_MILLIS = 2 ** 31 - 1;
var globalClockScheduler = {
  unsafeSchedule(task, duration) {
    const millis2 = toMillis(duration);
    if (millis2 > MAX_TIMER_MILLIS) {
      return constFalse;
    }
    let completed = false;
    const handle = setTimeout(() => {
      completed = true;
      task();
    }, millis2);
    return () => {
      clearTimeout(handle);
      return !completed;
    };
  }
};
var performanceNowNanos = /* @__PURE__ */ (function() {
  const bigint1e62 = /* @__PURE__ */ BigInt(1e6);
  if (typeof performance === "undefined" || typeof performance.now !== "function") {
    return () => BigInt(Date.now()) * bigint1e62;
  }
  let origin;
  return () => {
    if (origin === void 0) {
      origin = BigInt(Date.now()) * bigint1e62 - BigInt(Math.round(performance.now() * 1e6));
    }
    return origin + BigInt(Math.round(performance.now() * 1e6));
  };
})();
var processOrPerformanceNow = /* @__PURE__ */ (function() {
  const processHrtime = typeof process === "object" && "hrtime" in process && typeof process.hrtime.bigint === "function" ? process.hrtime : void 0;
  if (!processHrtime) {
    return performanceNowNanos;
  }
  const origin = /* @__PURE__ */ performanceNowNanos() - /* @__PURE__ */ processHrtime.bigint();
  return () => origin + processHrtime.bigint();
})();
var ClockImpl = class {
  [ClockTypeId] = ClockTypeId;
  unsafeCurrentTimeMillis() {
    return Date.now();
  }
  unsafeCurrentTimeNanos() {
    return processOrPerformanceNow();
  }
  currentTimeMillis = /* @__PURE__ */ sync(() => this.unsafeCurrentTimeMillis());
  currentTimeNanos = /* @__PURE__ */ sync(() => this.unsafeCurrentTimeNanos());
  scheduler() {
    return succeed(globalClockScheduler);
  }
  sleep(duration) {
    return async_((resume2) => {
      const canceler = globalClockScheduler.unsafeSchedule(() => resume2(void_), duration);
      return asVoid(sync(canceler));
    });
  }
};
var make19 = () => new ClockImpl();

// node_modules/effect/dist/esm/internal/opCodes/configError.js
var OP_AND = "And";
var OP_OR = "Or";
var OP_INVALID_DATA = "InvalidData";
var OP_MISSING_DATA = "MissingData";
var OP_SOURCE_UNAVAILABLE = "SourceUnavailable";
var OP_UNSUPPORTED = "Unsupported";

// node_modules/effect/dist/esm/internal/configError.js
var ConfigErrorSymbolKey = "effect/ConfigError";
var ConfigErrorTypeId = /* @__PURE__ */ Symbol.for(ConfigErrorSymbolKey);
var proto2 = {
  _tag: "ConfigError",
  [ConfigErrorTypeId]: ConfigErrorTypeId
};
var And = (self, that) => {
  const error2 = Object.create(proto2);
  error2._op = OP_AND;
  error2.left = self;
  error2.right = that;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      return `${this.left} and ${this.right}`;
    }
  });
  Object.defineProperty(error2, "message", {
    enumerable: false,
    get() {
      return this.toString();
    }
  });
  return error2;
};
var Or = (self, that) => {
  const error2 = Object.create(proto2);
  error2._op = OP_OR;
  error2.left = self;
  error2.right = that;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      return `${this.left} or ${this.right}`;
    }
  });
  Object.defineProperty(error2, "message", {
    enumerable: false,
    get() {
      return this.toString();
    }
  });
  return error2;
};
var InvalidData = (path14, message, options = {
  pathDelim: "."
}) => {
  const error2 = Object.create(proto2);
  error2._op = OP_INVALID_DATA;
  error2.path = path14;
  error2.message = message;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      const path15 = pipe(this.path, join(options.pathDelim));
      return `(Invalid data at ${path15}: "${this.message}")`;
    }
  });
  return error2;
};
var MissingData = (path14, message, options = {
  pathDelim: "."
}) => {
  const error2 = Object.create(proto2);
  error2._op = OP_MISSING_DATA;
  error2.path = path14;
  error2.message = message;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      const path15 = pipe(this.path, join(options.pathDelim));
      return `(Missing data at ${path15}: "${this.message}")`;
    }
  });
  return error2;
};
var SourceUnavailable = (path14, message, cause3, options = {
  pathDelim: "."
}) => {
  const error2 = Object.create(proto2);
  error2._op = OP_SOURCE_UNAVAILABLE;
  error2.path = path14;
  error2.message = message;
  error2.cause = cause3;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      const path15 = pipe(this.path, join(options.pathDelim));
      return `(Source unavailable at ${path15}: "${this.message}")`;
    }
  });
  return error2;
};
var Unsupported = (path14, message, options = {
  pathDelim: "."
}) => {
  const error2 = Object.create(proto2);
  error2._op = OP_UNSUPPORTED;
  error2.path = path14;
  error2.message = message;
  Object.defineProperty(error2, "toString", {
    enumerable: false,
    value() {
      const path15 = pipe(this.path, join(options.pathDelim));
      return `(Unsupported operation at ${path15}: "${this.message}")`;
    }
  });
  return error2;
};
var prefixed = /* @__PURE__ */ dual(2, (self, prefix) => {
  switch (self._op) {
    case OP_AND: {
      return And(prefixed(self.left, prefix), prefixed(self.right, prefix));
    }
    case OP_OR: {
      return Or(prefixed(self.left, prefix), prefixed(self.right, prefix));
    }
    case OP_INVALID_DATA: {
      return InvalidData([...prefix, ...self.path], self.message);
    }
    case OP_MISSING_DATA: {
      return MissingData([...prefix, ...self.path], self.message);
    }
    case OP_SOURCE_UNAVAILABLE: {
      return SourceUnavailable([...prefix, ...self.path], self.message, self.cause);
    }
    case OP_UNSUPPORTED: {
      return Unsupported([...prefix, ...self.path], self.message);
    }
  }
});
var reduceWithContext2 = /* @__PURE__ */ dual(3, (self, context4, reducer) => {
  const input = [self];
  const output = [];
  while (input.length > 0) {
    const error2 = input.pop();
    switch (error2._op) {
      case OP_AND: {
        input.push(error2.right);
        input.push(error2.left);
        output.push(left2({
          _op: "AndCase"
        }));
        break;
      }
      case OP_OR: {
        input.push(error2.right);
        input.push(error2.left);
        output.push(left2({
          _op: "OrCase"
        }));
        break;
      }
      case OP_INVALID_DATA: {
        output.push(right2(reducer.invalidDataCase(context4, error2.path, error2.message)));
        break;
      }
      case OP_MISSING_DATA: {
        output.push(right2(reducer.missingDataCase(context4, error2.path, error2.message)));
        break;
      }
      case OP_SOURCE_UNAVAILABLE: {
        output.push(right2(reducer.sourceUnavailableCase(context4, error2.path, error2.message, error2.cause)));
        break;
      }
      case OP_UNSUPPORTED: {
        output.push(right2(reducer.unsupportedCase(context4, error2.path, error2.message)));
        break;
      }
    }
  }
  const accumulator = [];
  while (output.length > 0) {
    const either4 = output.pop();
    switch (either4._op) {
      case "Left": {
        switch (either4.left._op) {
          case "AndCase": {
            const left3 = accumulator.pop();
            const right3 = accumulator.pop();
            const value2 = reducer.andCase(context4, left3, right3);
            accumulator.push(value2);
            break;
          }
          case "OrCase": {
            const left3 = accumulator.pop();
            const right3 = accumulator.pop();
            const value2 = reducer.orCase(context4, left3, right3);
            accumulator.push(value2);
            break;
          }
        }
        break;
      }
      case "Right": {
        accumulator.push(either4.right);
        break;
      }
    }
  }
  if (accumulator.length === 0) {
    throw new Error("BUG: ConfigError.reduceWithContext - please report an issue at https://github.com/Effect-TS/effect/issues");
  }
  return accumulator.pop();
});

// node_modules/effect/dist/esm/internal/configProvider/pathPatch.js
var empty19 = {
  _tag: "Empty"
};
var patch5 = /* @__PURE__ */ dual(2, (path14, patch9) => {
  let input = of3(patch9);
  let output = path14;
  while (isCons(input)) {
    const patch10 = input.head;
    switch (patch10._tag) {
      case "Empty": {
        input = input.tail;
        break;
      }
      case "AndThen": {
        input = cons(patch10.first, cons(patch10.second, input.tail));
        break;
      }
      case "MapName": {
        output = map2(output, patch10.f);
        input = input.tail;
        break;
      }
      case "Nested": {
        output = prepend(output, patch10.name);
        input = input.tail;
        break;
      }
      case "Unnested": {
        const containsName = pipe(head(output), contains(patch10.name));
        if (containsName) {
          output = tailNonEmpty(output);
          input = input.tail;
        } else {
          return left2(MissingData(output, `Expected ${patch10.name} to be in path in ConfigProvider#unnested`));
        }
        break;
      }
    }
  }
  return right2(output);
});

// node_modules/effect/dist/esm/internal/opCodes/config.js
var OP_CONSTANT = "Constant";
var OP_FAIL2 = "Fail";
var OP_FALLBACK = "Fallback";
var OP_DESCRIBED = "Described";
var OP_LAZY = "Lazy";
var OP_MAP_OR_FAIL = "MapOrFail";
var OP_NESTED = "Nested";
var OP_PRIMITIVE = "Primitive";
var OP_REDACTED = "Redacted";
var OP_SEQUENCE = "Sequence";
var OP_HASHMAP = "HashMap";
var OP_ZIP_WITH = "ZipWith";

// node_modules/effect/dist/esm/internal/configProvider.js
var concat = (l, r2) => [...l, ...r2];
var ConfigProviderSymbolKey = "effect/ConfigProvider";
var ConfigProviderTypeId = /* @__PURE__ */ Symbol.for(ConfigProviderSymbolKey);
var configProviderTag = /* @__PURE__ */ GenericTag("effect/ConfigProvider");
var FlatConfigProviderSymbolKey = "effect/ConfigProviderFlat";
var FlatConfigProviderTypeId = /* @__PURE__ */ Symbol.for(FlatConfigProviderSymbolKey);
var make21 = (options) => ({
  [ConfigProviderTypeId]: ConfigProviderTypeId,
  pipe() {
    return pipeArguments(this, arguments);
  },
  ...options
});
var makeFlat = (options) => ({
  [FlatConfigProviderTypeId]: FlatConfigProviderTypeId,
  patch: options.patch,
  load: (path14, config, split = true) => options.load(path14, config, split),
  enumerateChildren: options.enumerateChildren
});
var fromFlat = (flat) => make21({
  load: (config) => flatMap7(fromFlatLoop(flat, empty(), config, false), (chunk2) => match2(head(chunk2), {
    onNone: () => fail2(MissingData(empty(), `Expected a single value having structure: ${config}`)),
    onSome: succeed
  })),
  flattened: flat
});
var fromEnv = (options) => {
  const {
    pathDelim,
    seqDelim
  } = Object.assign({}, {
    pathDelim: "_",
    seqDelim: ","
  }, options);
  const makePathString = (path14) => pipe(path14, join(pathDelim));
  const unmakePathString = (pathString) => pathString.split(pathDelim);
  const getEnv = () => typeof process !== "undefined" && "env" in process && typeof process.env === "object" ? process.env : {};
  const load3 = (path14, primitive, split = true) => {
    const pathString = makePathString(path14);
    const current = getEnv();
    const valueOpt = pathString in current ? some2(current[pathString]) : none2();
    return pipe(valueOpt, mapError(() => MissingData(path14, `Expected ${pathString} to exist in the process context`)), flatMap7((value2) => parsePrimitive(value2, path14, primitive, seqDelim, split)));
  };
  const enumerateChildren = (path14) => sync(() => {
    const current = getEnv();
    const keys6 = Object.keys(current);
    const keyPaths = keys6.map((value2) => unmakePathString(value2.toUpperCase()));
    const filteredKeyPaths = keyPaths.filter((keyPath) => {
      for (let i = 0; i < path14.length; i++) {
        const pathComponent = pipe(path14, unsafeGet(i));
        const currentElement = keyPath[i];
        if (currentElement === void 0 || pathComponent !== currentElement) {
          return false;
        }
      }
      return true;
    }).flatMap((keyPath) => keyPath.slice(path14.length, path14.length + 1));
    return fromIterable5(filteredKeyPaths);
  });
  return fromFlat(makeFlat({
    load: load3,
    enumerateChildren,
    patch: empty19
  }));
};
var extend = (leftDef, rightDef, left3, right3) => {
  const leftPad = unfold(left3.length, (index) => index >= right3.length ? none2() : some2([leftDef(index), index + 1]));
  const rightPad = unfold(right3.length, (index) => index >= left3.length ? none2() : some2([rightDef(index), index + 1]));
  const leftExtension = concat(left3, leftPad);
  const rightExtension = concat(right3, rightPad);
  return [leftExtension, rightExtension];
};
var appendConfigPath = (path14, config) => {
  let op = config;
  if (op._tag === "Nested") {
    const out = path14.slice();
    while (op._tag === "Nested") {
      out.push(op.name);
      op = op.config;
    }
    return out;
  }
  return path14;
};
var RedactedConfigErrorReducer = {
  andCase: (_, left3, right3) => And(left3, right3),
  orCase: (_, left3, right3) => Or(left3, right3),
  invalidDataCase: (_, path14) => InvalidData(path14, "<redacted>"),
  missingDataCase: (_, path14) => MissingData(path14, "<redacted>"),
  sourceUnavailableCase: (_, path14, _message, cause3) => SourceUnavailable(path14, "<redacted>", cause3),
  unsupportedCase: (_, path14) => Unsupported(path14, "<redacted>")
};
var redactConfigError = (error2) => reduceWithContext2(error2, void 0, RedactedConfigErrorReducer);
var fromFlatLoop = (flat, prefix, config, split) => {
  const op = config;
  switch (op._tag) {
    case OP_CONSTANT: {
      return succeed(of(op.value));
    }
    case OP_DESCRIBED: {
      return suspend(() => fromFlatLoop(flat, prefix, op.config, split));
    }
    case OP_FAIL2: {
      return fail2(MissingData(prefix, op.message));
    }
    case OP_FALLBACK: {
      return pipe(suspend(() => fromFlatLoop(flat, prefix, op.first, split)), catchAll((error1) => {
        if (op.condition(error1)) {
          return pipe(fromFlatLoop(flat, prefix, op.second, split), catchAll((error2) => fail2(Or(error1, error2))));
        }
        return fail2(error1);
      }));
    }
    case OP_LAZY: {
      return suspend(() => fromFlatLoop(flat, prefix, op.config(), split));
    }
    case OP_MAP_OR_FAIL: {
      return suspend(() => pipe(fromFlatLoop(flat, prefix, op.original, split), flatMap7(forEachSequential((a) => pipe(op.mapOrFail(a), mapError(prefixed(appendConfigPath(prefix, op.original))))))));
    }
    case OP_NESTED: {
      return suspend(() => fromFlatLoop(flat, concat(prefix, of(op.name)), op.config, split));
    }
    case OP_PRIMITIVE: {
      return pipe(patch5(prefix, flat.patch), flatMap7((prefix2) => pipe(flat.load(prefix2, op, split), flatMap7((values3) => {
        if (values3.length === 0) {
          const name = pipe(last(prefix2), getOrElse(() => "<n/a>"));
          return fail2(MissingData([], `Expected ${op.description} with name ${name}`));
        }
        return succeed(values3);
      }))));
    }
    case OP_REDACTED: {
      return suspend(() => pipe(fromFlatLoop(flat, prefix, op.original, split), mapError(redactConfigError), map8(map2(op.redact))));
    }
    case OP_SEQUENCE: {
      return pipe(patch5(prefix, flat.patch), flatMap7((patchedPrefix) => pipe(flat.enumerateChildren(patchedPrefix), flatMap7(indicesFrom), flatMap7((indices) => {
        if (indices.length === 0) {
          return suspend(() => map8(fromFlatLoop(flat, prefix, op.config, true), of));
        }
        return pipe(forEachSequential(indices, (index) => fromFlatLoop(flat, append(prefix, `[${index}]`), op.config, true)), map8((chunkChunk) => {
          const flattened = flatten(chunkChunk);
          if (flattened.length === 0) {
            return of(empty());
          }
          return of(flattened);
        }));
      }))));
    }
    case OP_HASHMAP: {
      return suspend(() => pipe(patch5(prefix, flat.patch), flatMap7((prefix2) => pipe(flat.enumerateChildren(prefix2), flatMap7((keys6) => {
        return pipe(keys6, forEachSequential((key) => fromFlatLoop(flat, concat(prefix2, of(key)), op.valueConfig, split)), map8((matrix) => {
          if (matrix.length === 0) {
            return of(empty8());
          }
          return pipe(transpose(matrix), map2((values3) => fromIterable6(zip(fromIterable(keys6), values3))));
        }));
      })))));
    }
    case OP_ZIP_WITH: {
      return suspend(() => pipe(fromFlatLoop(flat, prefix, op.left, split), either2, flatMap7((left3) => pipe(fromFlatLoop(flat, prefix, op.right, split), either2, flatMap7((right3) => {
        if (isLeft2(left3) && isLeft2(right3)) {
          return fail2(And(left3.left, right3.left));
        }
        if (isLeft2(left3) && isRight2(right3)) {
          return fail2(left3.left);
        }
        if (isRight2(left3) && isLeft2(right3)) {
          return fail2(right3.left);
        }
        if (isRight2(left3) && isRight2(right3)) {
          const path14 = pipe(prefix, join("."));
          const fail5 = fromFlatLoopFail(prefix, path14);
          const [lefts, rights] = extend(fail5, fail5, pipe(left3.right, map2(right2)), pipe(right3.right, map2(right2)));
          return pipe(lefts, zip(rights), forEachSequential(([left4, right4]) => pipe(zip2(left4, right4), map8(([left5, right5]) => op.zip(left5, right5)))));
        }
        throw new Error("BUG: ConfigProvider.fromFlatLoop - please report an issue at https://github.com/Effect-TS/effect/issues");
      })))));
    }
  }
};
var fromFlatLoopFail = (prefix, path14) => (index) => left2(MissingData(prefix, `The element at index ${index} in a sequence at path "${path14}" was missing`));
var splitPathString = (text, delim) => {
  const split = text.split(new RegExp(`\\s*${escape(delim)}\\s*`));
  return split;
};
var parsePrimitive = (text, path14, primitive, delimiter, split) => {
  if (!split) {
    return pipe(primitive.parse(text), mapBoth({
      onFailure: prefixed(path14),
      onSuccess: of
    }));
  }
  return pipe(splitPathString(text, delimiter), forEachSequential((char) => primitive.parse(char.trim())), mapError(prefixed(path14)));
};
var transpose = (array3) => {
  return Object.keys(array3[0]).map((column) => array3.map((row) => row[column]));
};
var indicesFrom = (quotedIndices) => pipe(forEachSequential(quotedIndices, parseQuotedIndex), mapBoth({
  onFailure: () => empty(),
  onSuccess: sort(Order)
}), either2, map8(merge));
var QUOTED_INDEX_REGEX = /^(\[(\d+)\])$/;
var parseQuotedIndex = (str) => {
  const match10 = str.match(QUOTED_INDEX_REGEX);
  if (match10 !== null) {
    const matchedIndex = match10[2];
    return pipe(matchedIndex !== void 0 && matchedIndex.length > 0 ? some2(matchedIndex) : none2(), flatMap(parseInteger));
  }
  return none2();
};
var parseInteger = (str) => {
  const parsedIndex = Number.parseInt(str);
  return Number.isNaN(parsedIndex) ? none2() : some2(parsedIndex);
};

// node_modules/effect/dist/esm/internal/defaultServices/console.js
var TypeId11 = /* @__PURE__ */ Symbol.for("effect/Console");
var consoleTag = /* @__PURE__ */ GenericTag("effect/Console");
var defaultConsole = {
  [TypeId11]: TypeId11,
  assert(condition, ...args2) {
    return sync(() => {
      console.assert(condition, ...args2);
    });
  },
  clear: /* @__PURE__ */ sync(() => {
    console.clear();
  }),
  count(label) {
    return sync(() => {
      console.count(label);
    });
  },
  countReset(label) {
    return sync(() => {
      console.countReset(label);
    });
  },
  debug(...args2) {
    return sync(() => {
      console.debug(...args2);
    });
  },
  dir(item, options) {
    return sync(() => {
      console.dir(item, options);
    });
  },
  dirxml(...args2) {
    return sync(() => {
      console.dirxml(...args2);
    });
  },
  error(...args2) {
    return sync(() => {
      console.error(...args2);
    });
  },
  group(options) {
    return options?.collapsed ? sync(() => console.groupCollapsed(options?.label)) : sync(() => console.group(options?.label));
  },
  groupEnd: /* @__PURE__ */ sync(() => {
    console.groupEnd();
  }),
  info(...args2) {
    return sync(() => {
      console.info(...args2);
    });
  },
  log(...args2) {
    return sync(() => {
      console.log(...args2);
    });
  },
  table(tabularData, properties) {
    return sync(() => {
      console.table(tabularData, properties);
    });
  },
  time(label) {
    return sync(() => console.time(label));
  },
  timeEnd(label) {
    return sync(() => console.timeEnd(label));
  },
  timeLog(label, ...args2) {
    return sync(() => {
      console.timeLog(label, ...args2);
    });
  },
  trace(...args2) {
    return sync(() => {
      console.trace(...args2);
    });
  },
  warn(...args2) {
    return sync(() => {
      console.warn(...args2);
    });
  },
  unsafe: console
};

// node_modules/effect/dist/esm/internal/random.js
var RandomSymbolKey = "effect/Random";
var RandomTypeId = /* @__PURE__ */ Symbol.for(RandomSymbolKey);
var randomTag = /* @__PURE__ */ GenericTag("effect/Random");
var RandomImpl = class {
  seed;
  [RandomTypeId] = RandomTypeId;
  PRNG;
  constructor(seed) {
    this.seed = seed;
    this.PRNG = new PCGRandom(seed);
  }
  get next() {
    return sync(() => this.PRNG.number());
  }
  get nextBoolean() {
    return map8(this.next, (n) => n > 0.5);
  }
  get nextInt() {
    return sync(() => this.PRNG.integer(Number.MAX_SAFE_INTEGER));
  }
  nextRange(min3, max5) {
    return map8(this.next, (n) => (max5 - min3) * n + min3);
  }
  nextIntBetween(min3, max5) {
    return sync(() => this.PRNG.integer(max5 - min3) + min3);
  }
  shuffle(elements) {
    return shuffleWith(elements, (n) => this.nextIntBetween(0, n));
  }
};
var shuffleWith = (elements, nextIntBounded) => {
  return suspend(() => pipe(sync(() => Array.from(elements)), flatMap7((buffer) => {
    const numbers = [];
    for (let i = buffer.length; i >= 2; i = i - 1) {
      numbers.push(i);
    }
    return pipe(numbers, forEachSequentialDiscard((n) => pipe(nextIntBounded(n), map8((k) => swap(buffer, n - 1, k)))), as(fromIterable2(buffer)));
  })));
};
var swap = (buffer, index1, index2) => {
  const tmp = buffer[index1];
  buffer[index1] = buffer[index2];
  buffer[index2] = tmp;
  return buffer;
};
var make22 = (seed) => new RandomImpl(hash(seed));
var FixedRandomImpl = class {
  values;
  [RandomTypeId] = RandomTypeId;
  index = 0;
  constructor(values3) {
    this.values = values3;
    if (values3.length === 0) {
      throw new Error("Requires at least one value");
    }
  }
  getNextValue() {
    const value2 = this.values[this.index];
    this.index = (this.index + 1) % this.values.length;
    return value2;
  }
  get next() {
    return sync(() => {
      const value2 = this.getNextValue();
      if (typeof value2 === "number") {
        return Math.max(0, Math.min(1, value2));
      }
      return hash(value2) / 2147483647;
    });
  }
  get nextBoolean() {
    return sync(() => {
      const value2 = this.getNextValue();
      if (typeof value2 === "boolean") {
        return value2;
      }
      return hash(value2) % 2 === 0;
    });
  }
  get nextInt() {
    return sync(() => {
      const value2 = this.getNextValue();
      if (typeof value2 === "number" && Number.isFinite(value2)) {
        return Math.round(value2);
      }
      return Math.abs(hash(value2));
    });
  }
  nextRange(min3, max5) {
    return map8(this.next, (n) => (max5 - min3) * n + min3);
  }
  nextIntBetween(min3, max5) {
    return sync(() => {
      const value2 = this.getNextValue();
      if (typeof value2 === "number" && Number.isFinite(value2)) {
        return Math.max(min3, Math.min(max5 - 1, Math.round(value2)));
      }
      const hash7 = Math.abs(hash(value2));
      return min3 + hash7 % (max5 - min3);
    });
  }
  shuffle(elements) {
    return shuffleWith(elements, (n) => this.nextIntBetween(0, n));
  }
};
var fixed = (values3) => new FixedRandomImpl(values3);

// node_modules/effect/dist/esm/internal/tracer.js
var TracerTypeId = /* @__PURE__ */ Symbol.for("effect/Tracer");
var make23 = (options) => ({
  [TracerTypeId]: TracerTypeId,
  ...options
});
var tracerTag = /* @__PURE__ */ GenericTag("effect/Tracer");
var spanTag = /* @__PURE__ */ GenericTag("effect/ParentSpan");
var randomHexString = /* @__PURE__ */ (function() {
  const characters = "abcdef0123456789";
  const charactersLength = characters.length;
  return function(length2) {
    let result = "";
    for (let i = 0; i < length2; i++) {
      result += characters.charAt(Math.floor(Math.random() * charactersLength));
    }
    return result;
  };
})();
var NativeSpan = class {
  name;
  parent;
  context;
  startTime;
  kind;
  _tag = "Span";
  spanId;
  traceId = "native";
  sampled = true;
  status;
  attributes;
  events = [];
  links;
  constructor(name, parent, context4, links, startTime, kind2) {
    this.name = name;
    this.parent = parent;
    this.context = context4;
    this.startTime = startTime;
    this.kind = kind2;
    this.status = {
      _tag: "Started",
      startTime
    };
    this.attributes = /* @__PURE__ */ new Map();
    this.traceId = parent._tag === "Some" ? parent.value.traceId : randomHexString(32);
    this.spanId = randomHexString(16);
    this.links = Array.from(links);
  }
  end(endTime, exit4) {
    this.status = {
      _tag: "Ended",
      endTime,
      exit: exit4,
      startTime: this.status.startTime
    };
  }
  attribute(key, value2) {
    this.attributes.set(key, value2);
  }
  event(name, startTime, attributes) {
    this.events.push([name, startTime, attributes ?? {}]);
  }
  addLinks(links) {
    this.links.push(...links);
  }
};
var nativeTracer = /* @__PURE__ */ make23({
  span: (name, parent, context4, links, startTime, kind2) => new NativeSpan(name, parent, context4, links, startTime, kind2),
  context: (f) => f()
});
var addSpanStackTrace = (options) => {
  if (options?.captureStackTrace === false) {
    return options;
  } else if (options?.captureStackTrace !== void 0 && typeof options.captureStackTrace !== "boolean") {
    return options;
  }
  const limit = getStackTraceLimit();
  setStackTraceLimit(3);
  const traceError = new Error();
  setStackTraceLimit(limit);
  let cache = false;
  return {
    ...options,
    captureStackTrace: () => {
      if (cache !== false) {
        return cache;
      }
      if (traceError.stack !== void 0) {
        const stack = traceError.stack.split("\n");
        if (stack[3] !== void 0) {
          cache = stack[3].trim();
          return cache;
        }
      }
    }
  };
};
var DisablePropagation = /* @__PURE__ */ Reference2()("effect/Tracer/DisablePropagation", {
  defaultValue: constFalse
});

// node_modules/effect/dist/esm/internal/defaultServices.js
var liveServices = /* @__PURE__ */ pipe(/* @__PURE__ */ empty3(), /* @__PURE__ */ add2(clockTag, /* @__PURE__ */ make19()), /* @__PURE__ */ add2(consoleTag, defaultConsole), /* @__PURE__ */ add2(randomTag, /* @__PURE__ */ make22(/* @__PURE__ */ Math.random())), /* @__PURE__ */ add2(configProviderTag, /* @__PURE__ */ fromEnv()), /* @__PURE__ */ add2(tracerTag, nativeTracer));
var currentServices = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/DefaultServices/currentServices"), () => fiberRefUnsafeMakeContext(liveServices));
var sleep = (duration) => {
  const decodedDuration = decode(duration);
  return clockWith((clock3) => clock3.sleep(decodedDuration));
};
var defaultServicesWith = (f) => withFiberRuntime((fiber) => f(fiber.currentDefaultServices));
var clockWith = (f) => defaultServicesWith((services) => f(services.unsafeMap.get(clockTag.key)));
var currentTimeMillis = /* @__PURE__ */ clockWith((clock3) => clock3.currentTimeMillis);
var currentTimeNanos = /* @__PURE__ */ clockWith((clock3) => clock3.currentTimeNanos);
var withClock = /* @__PURE__ */ dual(2, (effect, c) => fiberRefLocallyWith(currentServices, add2(clockTag, c))(effect));
var withConfigProvider = /* @__PURE__ */ dual(2, (self, provider) => fiberRefLocallyWith(currentServices, add2(configProviderTag, provider))(self));
var configProviderWith = (f) => defaultServicesWith((services) => f(services.unsafeMap.get(configProviderTag.key)));
var randomWith = (f) => defaultServicesWith((services) => f(services.unsafeMap.get(randomTag.key)));
var withRandom = /* @__PURE__ */ dual(2, (effect, value2) => fiberRefLocallyWith(currentServices, add2(randomTag, value2))(effect));
var tracerWith = (f) => defaultServicesWith((services) => f(services.unsafeMap.get(tracerTag.key)));
var withTracer = /* @__PURE__ */ dual(2, (effect, value2) => fiberRefLocallyWith(currentServices, add2(tracerTag, value2))(effect));

// node_modules/effect/dist/esm/Clock.js
var sleep2 = sleep;
var currentTimeMillis2 = currentTimeMillis;
var currentTimeNanos2 = currentTimeNanos;
var clockWith2 = clockWith;
var Clock = clockTag;

// node_modules/effect/dist/esm/internal/fiberRefs.js
function unsafeMake4(fiberRefLocals) {
  return new FiberRefsImpl(fiberRefLocals);
}
function empty20() {
  return unsafeMake4(/* @__PURE__ */ new Map());
}
var FiberRefsSym = /* @__PURE__ */ Symbol.for("effect/FiberRefs");
var FiberRefsImpl = class {
  locals;
  [FiberRefsSym] = FiberRefsSym;
  constructor(locals) {
    this.locals = locals;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var findAncestor = (_ref, _parentStack, _childStack, _childModified = false) => {
  const ref = _ref;
  let parentStack = _parentStack;
  let childStack = _childStack;
  let childModified = _childModified;
  let ret = void 0;
  while (ret === void 0) {
    if (isNonEmptyReadonlyArray(parentStack) && isNonEmptyReadonlyArray(childStack)) {
      const parentFiberId = headNonEmpty(parentStack)[0];
      const parentAncestors = tailNonEmpty(parentStack);
      const childFiberId = headNonEmpty(childStack)[0];
      const childRefValue = headNonEmpty(childStack)[1];
      const childAncestors = tailNonEmpty(childStack);
      if (parentFiberId.startTimeMillis < childFiberId.startTimeMillis) {
        childStack = childAncestors;
        childModified = true;
      } else if (parentFiberId.startTimeMillis > childFiberId.startTimeMillis) {
        parentStack = parentAncestors;
      } else {
        if (parentFiberId.id < childFiberId.id) {
          childStack = childAncestors;
          childModified = true;
        } else if (parentFiberId.id > childFiberId.id) {
          parentStack = parentAncestors;
        } else {
          ret = [childRefValue, childModified];
        }
      }
    } else {
      ret = [ref.initial, true];
    }
  }
  return ret;
};
var joinAs = /* @__PURE__ */ dual(3, (self, fiberId3, that) => {
  const parentFiberRefs = new Map(self.locals);
  that.locals.forEach((childStack, fiberRef) => {
    const childValue = childStack[0][1];
    if (!childStack[0][0][symbol2](fiberId3)) {
      if (!parentFiberRefs.has(fiberRef)) {
        if (equals(childValue, fiberRef.initial)) {
          return;
        }
        parentFiberRefs.set(fiberRef, [[fiberId3, fiberRef.join(fiberRef.initial, childValue)]]);
        return;
      }
      const parentStack = parentFiberRefs.get(fiberRef);
      const [ancestor, wasModified] = findAncestor(fiberRef, parentStack, childStack);
      if (wasModified) {
        const patch9 = fiberRef.diff(ancestor, childValue);
        const oldValue = parentStack[0][1];
        const newValue = fiberRef.join(oldValue, fiberRef.patch(patch9)(oldValue));
        if (!equals(oldValue, newValue)) {
          let newStack;
          const parentFiberId = parentStack[0][0];
          if (parentFiberId[symbol2](fiberId3)) {
            newStack = [[parentFiberId, newValue], ...parentStack.slice(1)];
          } else {
            newStack = [[fiberId3, newValue], ...parentStack];
          }
          parentFiberRefs.set(fiberRef, newStack);
        }
      }
    }
  });
  return new FiberRefsImpl(parentFiberRefs);
});
var forkAs = /* @__PURE__ */ dual(2, (self, childId) => {
  const map12 = /* @__PURE__ */ new Map();
  unsafeForkAs(self, map12, childId);
  return new FiberRefsImpl(map12);
});
var unsafeForkAs = (self, map12, fiberId3) => {
  self.locals.forEach((stack, fiberRef) => {
    const oldValue = stack[0][1];
    const newValue = fiberRef.patch(fiberRef.fork)(oldValue);
    if (equals(oldValue, newValue)) {
      map12.set(fiberRef, stack);
    } else {
      map12.set(fiberRef, [[fiberId3, newValue], ...stack]);
    }
  });
};
var fiberRefs = (self) => fromIterable5(self.locals.keys());
var setAll = (self) => forEachSequentialDiscard(fiberRefs(self), (fiberRef) => fiberRefSet(fiberRef, getOrDefault(self, fiberRef)));
var delete_ = /* @__PURE__ */ dual(2, (self, fiberRef) => {
  const locals = new Map(self.locals);
  locals.delete(fiberRef);
  return new FiberRefsImpl(locals);
});
var get9 = /* @__PURE__ */ dual(2, (self, fiberRef) => {
  if (!self.locals.has(fiberRef)) {
    return none2();
  }
  return some2(headNonEmpty(self.locals.get(fiberRef))[1]);
});
var getOrDefault = /* @__PURE__ */ dual(2, (self, fiberRef) => pipe(get9(self, fiberRef), getOrElse(() => fiberRef.initial)));
var updateAs = /* @__PURE__ */ dual(2, (self, {
  fiberId: fiberId3,
  fiberRef,
  value: value2
}) => {
  if (self.locals.size === 0) {
    return new FiberRefsImpl(/* @__PURE__ */ new Map([[fiberRef, [[fiberId3, value2]]]]));
  }
  const locals = new Map(self.locals);
  unsafeUpdateAs(locals, fiberId3, fiberRef, value2);
  return new FiberRefsImpl(locals);
});
var unsafeUpdateAs = (locals, fiberId3, fiberRef, value2) => {
  const oldStack = locals.get(fiberRef) ?? [];
  let newStack;
  if (isNonEmptyReadonlyArray(oldStack)) {
    const [currentId, currentValue] = headNonEmpty(oldStack);
    if (currentId[symbol2](fiberId3)) {
      if (equals(currentValue, value2)) {
        return;
      } else {
        newStack = [[fiberId3, value2], ...oldStack.slice(1)];
      }
    } else {
      newStack = [[fiberId3, value2], ...oldStack];
    }
  } else {
    newStack = [[fiberId3, value2]];
  }
  locals.set(fiberRef, newStack);
};
var updateManyAs = /* @__PURE__ */ dual(2, (self, {
  entries: entries3,
  forkAs: forkAs2
}) => {
  if (self.locals.size === 0) {
    return new FiberRefsImpl(new Map(entries3));
  }
  const locals = new Map(self.locals);
  if (forkAs2 !== void 0) {
    unsafeForkAs(self, locals, forkAs2);
  }
  entries3.forEach(([fiberRef, values3]) => {
    if (values3.length === 1) {
      unsafeUpdateAs(locals, values3[0][0], fiberRef, values3[0][1]);
    } else {
      values3.forEach(([fiberId3, value2]) => {
        unsafeUpdateAs(locals, fiberId3, fiberRef, value2);
      });
    }
  });
  return new FiberRefsImpl(locals);
});

// node_modules/effect/dist/esm/FiberRefs.js
var get10 = get9;
var getOrDefault2 = getOrDefault;
var joinAs2 = joinAs;
var setAll2 = setAll;
var updateManyAs2 = updateManyAs;
var empty21 = empty20;

// node_modules/effect/dist/esm/LogLevel.js
var All = logLevelAll;
var Fatal = logLevelFatal;
var Error2 = logLevelError;
var Warning = logLevelWarning;
var Info = logLevelInfo;
var Debug = logLevelDebug;
var Trace = logLevelTrace;
var None3 = logLevelNone;
var Order2 = /* @__PURE__ */ pipe(Order, /* @__PURE__ */ mapInput2((level) => level.ordinal));
var greaterThan2 = /* @__PURE__ */ greaterThan(Order2);
var fromLiteral = (literal) => {
  switch (literal) {
    case "All":
      return All;
    case "Debug":
      return Debug;
    case "Error":
      return Error2;
    case "Fatal":
      return Fatal;
    case "Info":
      return Info;
    case "Trace":
      return Trace;
    case "None":
      return None3;
    case "Warning":
      return Warning;
  }
};

// node_modules/effect/dist/esm/internal/logSpan.js
var make24 = (label, startTime) => ({
  label,
  startTime
});
var formatLabel = (key) => key.replace(/[\s="]/g, "_");
var render = (now) => (self) => {
  const label = formatLabel(self.label);
  return `${label}=${now - self.startTime}ms`;
};

// node_modules/effect/dist/esm/LogSpan.js
var make25 = make24;

// node_modules/effect/dist/esm/Effectable.js
var EffectPrototype2 = EffectPrototype;
var CommitPrototype2 = CommitPrototype;
var Base2 = Base;
var Class2 = class extends Base2 {
};

// node_modules/effect/dist/esm/Readable.js
var TypeId12 = /* @__PURE__ */ Symbol.for("effect/Readable");
var Proto = {
  [TypeId12]: TypeId12,
  pipe() {
    return pipeArguments(this, arguments);
  }
};

// node_modules/effect/dist/esm/internal/ref.js
var RefTypeId = /* @__PURE__ */ Symbol.for("effect/Ref");
var refVariance = {
  /* c8 ignore next */
  _A: (_) => _
};
var RefImpl = class extends Class2 {
  ref;
  commit() {
    return this.get;
  }
  [RefTypeId] = refVariance;
  [TypeId12] = TypeId12;
  constructor(ref) {
    super();
    this.ref = ref;
    this.get = sync(() => get6(this.ref));
  }
  get;
  modify(f) {
    return sync(() => {
      const current = get6(this.ref);
      const [b, a] = f(current);
      if (current !== a) {
        set2(a)(this.ref);
      }
      return b;
    });
  }
};
var unsafeMake5 = (value2) => new RefImpl(make11(value2));
var make26 = (value2) => sync(() => unsafeMake5(value2));
var get11 = (self) => self.get;
var set5 = /* @__PURE__ */ dual(2, (self, value2) => self.modify(() => [void 0, value2]));
var getAndSet = /* @__PURE__ */ dual(2, (self, value2) => self.modify((a) => [a, value2]));
var modify3 = /* @__PURE__ */ dual(2, (self, f) => self.modify(f));
var update2 = /* @__PURE__ */ dual(2, (self, f) => self.modify((a) => [void 0, f(a)]));

// node_modules/effect/dist/esm/Ref.js
var make27 = make26;
var get12 = get11;
var getAndSet2 = getAndSet;
var update3 = update2;

// node_modules/effect/dist/esm/Tracer.js
var tracerWith2 = tracerWith;

// node_modules/effect/dist/esm/internal/fiberRefs/patch.js
var OP_EMPTY2 = "Empty";
var OP_ADD = "Add";
var OP_REMOVE = "Remove";
var OP_UPDATE = "Update";
var OP_AND_THEN = "AndThen";
var empty22 = {
  _tag: OP_EMPTY2
};
var diff5 = (oldValue, newValue) => {
  const missingLocals = new Map(oldValue.locals);
  let patch9 = empty22;
  for (const [fiberRef, pairs] of newValue.locals.entries()) {
    const newValue2 = headNonEmpty(pairs)[1];
    const old = missingLocals.get(fiberRef);
    if (old !== void 0) {
      const oldValue2 = headNonEmpty(old)[1];
      if (!equals(oldValue2, newValue2)) {
        patch9 = combine7({
          _tag: OP_UPDATE,
          fiberRef,
          patch: fiberRef.diff(oldValue2, newValue2)
        })(patch9);
      }
    } else {
      patch9 = combine7({
        _tag: OP_ADD,
        fiberRef,
        value: newValue2
      })(patch9);
    }
    missingLocals.delete(fiberRef);
  }
  for (const [fiberRef] of missingLocals.entries()) {
    patch9 = combine7({
      _tag: OP_REMOVE,
      fiberRef
    })(patch9);
  }
  return patch9;
};
var combine7 = /* @__PURE__ */ dual(2, (self, that) => ({
  _tag: OP_AND_THEN,
  first: self,
  second: that
}));
var patch6 = /* @__PURE__ */ dual(3, (self, fiberId3, oldValue) => {
  let fiberRefs3 = oldValue;
  let patches = of(self);
  while (isNonEmptyReadonlyArray(patches)) {
    const head5 = headNonEmpty(patches);
    const tail = tailNonEmpty(patches);
    switch (head5._tag) {
      case OP_EMPTY2: {
        patches = tail;
        break;
      }
      case OP_ADD: {
        fiberRefs3 = updateAs(fiberRefs3, {
          fiberId: fiberId3,
          fiberRef: head5.fiberRef,
          value: head5.value
        });
        patches = tail;
        break;
      }
      case OP_REMOVE: {
        fiberRefs3 = delete_(fiberRefs3, head5.fiberRef);
        patches = tail;
        break;
      }
      case OP_UPDATE: {
        const value2 = getOrDefault(fiberRefs3, head5.fiberRef);
        fiberRefs3 = updateAs(fiberRefs3, {
          fiberId: fiberId3,
          fiberRef: head5.fiberRef,
          value: head5.fiberRef.patch(head5.patch)(value2)
        });
        patches = tail;
        break;
      }
      case OP_AND_THEN: {
        patches = prepend(head5.first)(prepend(head5.second)(tail));
        break;
      }
    }
  }
  return fiberRefs3;
});

// node_modules/effect/dist/esm/internal/metric/label.js
var MetricLabelSymbolKey = "effect/MetricLabel";
var MetricLabelTypeId = /* @__PURE__ */ Symbol.for(MetricLabelSymbolKey);
var MetricLabelImpl = class {
  key;
  value;
  [MetricLabelTypeId] = MetricLabelTypeId;
  _hash;
  constructor(key, value2) {
    this.key = key;
    this.value = value2;
    this._hash = string(MetricLabelSymbolKey + this.key + this.value);
  }
  [symbol]() {
    return this._hash;
  }
  [symbol2](that) {
    return isMetricLabel(that) && this.key === that.key && this.value === that.value;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make28 = (key, value2) => {
  return new MetricLabelImpl(key, value2);
};
var isMetricLabel = (u) => hasProperty(u, MetricLabelTypeId);

// node_modules/effect/dist/esm/internal/core-effect.js
var annotateLogs = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), function() {
  const args2 = arguments;
  return fiberRefLocallyWith(args2[0], currentLogAnnotations, typeof args2[1] === "string" ? set3(args2[1], args2[2]) : (annotations) => Object.entries(args2[1]).reduce((acc, [key, value2]) => set3(acc, key, value2), annotations));
});
var asSome = (self) => map8(self, some2);
var asSomeError = (self) => mapError(self, some2);
var try_ = (arg) => {
  let evaluate2;
  let onFailure = void 0;
  if (typeof arg === "function") {
    evaluate2 = arg;
  } else {
    evaluate2 = arg.try;
    onFailure = arg.catch;
  }
  return suspend(() => {
    try {
      return succeed(internalCall(evaluate2));
    } catch (error2) {
      return fail2(onFailure ? internalCall(() => onFailure(error2)) : new UnknownException(error2, "An unknown error occurred in Effect.try"));
    }
  });
};
var _catch = /* @__PURE__ */ dual(3, (self, tag, options) => catchAll(self, (e) => {
  if (hasProperty(e, tag) && e[tag] === options.failure) {
    return options.onFailure(e);
  }
  return fail2(e);
}));
var catchAllDefect = /* @__PURE__ */ dual(2, (self, f) => catchAllCause(self, (cause3) => {
  const option3 = find(cause3, (_) => isDieType(_) ? some2(_) : none2());
  switch (option3._tag) {
    case "None": {
      return failCause(cause3);
    }
    case "Some": {
      return f(option3.value.defect);
    }
  }
}));
var catchSomeCause = /* @__PURE__ */ dual(2, (self, f) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const option3 = f(cause3);
    switch (option3._tag) {
      case "None": {
        return failCause(cause3);
      }
      case "Some": {
        return option3.value;
      }
    }
  },
  onSuccess: succeed
}));
var catchSomeDefect = /* @__PURE__ */ dual(2, (self, pf) => catchAllCause(self, (cause3) => {
  const option3 = find(cause3, (_) => isDieType(_) ? some2(_) : none2());
  switch (option3._tag) {
    case "None": {
      return failCause(cause3);
    }
    case "Some": {
      const optionEffect = pf(option3.value.defect);
      return optionEffect._tag === "Some" ? optionEffect.value : failCause(cause3);
    }
  }
}));
var catchTag = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (self, ...args2) => {
  const f = args2[args2.length - 1];
  let predicate;
  if (args2.length === 2) {
    predicate = isTagged(args2[0]);
  } else {
    predicate = (e) => {
      const tag = hasProperty(e, "_tag") ? e["_tag"] : void 0;
      if (!tag) return false;
      for (let i = 0; i < args2.length - 1; i++) {
        if (args2[i] === tag) return true;
      }
      return false;
    };
  }
  return catchIf(self, predicate, f);
});
var catchTags = /* @__PURE__ */ dual(2, (self, cases) => {
  let keys6;
  return catchIf(self, (e) => {
    keys6 ??= Object.keys(cases);
    return hasProperty(e, "_tag") && isString(e["_tag"]) && keys6.includes(e["_tag"]);
  }, (e) => cases[e["_tag"]](e));
});
var cause = (self) => matchCause(self, {
  onFailure: identity,
  onSuccess: () => empty16
});
var clockWith3 = clockWith2;
var clock = /* @__PURE__ */ clockWith3(succeed);
var delay = /* @__PURE__ */ dual(2, (self, duration) => zipRight(sleep2(duration), self));
var descriptorWith = (f) => withFiberRuntime((state, status) => f({
  id: state.id(),
  status,
  interruptors: interruptors(state.getFiberRef(currentInterruptedCause))
}));
var allowInterrupt = /* @__PURE__ */ descriptorWith((descriptor3) => size3(descriptor3.interruptors) > 0 ? interrupt2 : void_);
var descriptor = /* @__PURE__ */ descriptorWith(succeed);
var diffFiberRefs = (self) => summarized(self, fiberRefs2, diff5);
var diffFiberRefsAndRuntimeFlags = (self) => summarized(self, zip2(fiberRefs2, runtimeFlags), ([refs, flags], [refsNew, flagsNew]) => [diff5(refs, refsNew), diff4(flags, flagsNew)]);
var Do = /* @__PURE__ */ succeed({});
var bind2 = /* @__PURE__ */ bind(map8, flatMap7);
var bindTo2 = /* @__PURE__ */ bindTo(map8);
var let_2 = /* @__PURE__ */ let_(map8);
var dropUntil = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const builder = [];
  let next;
  let dropping = succeed(false);
  let i = 0;
  while ((next = iterator.next()) && !next.done) {
    const a = next.value;
    const index = i++;
    dropping = flatMap7(dropping, (bool) => {
      if (bool) {
        builder.push(a);
        return succeed(true);
      }
      return predicate(a, index);
    });
  }
  return map8(dropping, () => builder);
}));
var dropWhile = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const builder = [];
  let next;
  let dropping = succeed(true);
  let i = 0;
  while ((next = iterator.next()) && !next.done) {
    const a = next.value;
    const index = i++;
    dropping = flatMap7(dropping, (d) => map8(d ? predicate(a, index) : succeed(false), (b) => {
      if (!b) {
        builder.push(a);
      }
      return b;
    }));
  }
  return map8(dropping, () => builder);
}));
var contextWith = (f) => map8(context(), f);
var eventually = (self) => orElse(self, () => flatMap7(yieldNow(), () => eventually(self)));
var filterMap3 = /* @__PURE__ */ dual(2, (elements, pf) => map8(forEachSequential(elements, identity), filterMap(pf)));
var filterOrDie = /* @__PURE__ */ dual(3, (self, predicate, orDieWith3) => filterOrElse(self, predicate, (a) => dieSync(() => orDieWith3(a))));
var filterOrDieMessage = /* @__PURE__ */ dual(3, (self, predicate, message) => filterOrElse(self, predicate, () => dieMessage(message)));
var filterOrElse = /* @__PURE__ */ dual(3, (self, predicate, orElse3) => flatMap7(self, (a) => predicate(a) ? succeed(a) : orElse3(a)));
var liftPredicate = /* @__PURE__ */ dual(3, (self, predicate, orFailWith) => suspend(() => predicate(self) ? succeed(self) : fail2(orFailWith(self))));
var filterOrFail = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (self, predicate, orFailWith) => filterOrElse(self, predicate, (a) => orFailWith === void 0 ? fail2(new NoSuchElementException()) : failSync(() => orFailWith(a))));
var findFirst3 = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const next = iterator.next();
  if (!next.done) {
    return findLoop(iterator, 0, predicate, next.value);
  }
  return succeed(none2());
}));
var findLoop = (iterator, index, f, value2) => flatMap7(f(value2, index), (result) => {
  if (result) {
    return succeed(some2(value2));
  }
  const next = iterator.next();
  if (!next.done) {
    return findLoop(iterator, index + 1, f, next.value);
  }
  return succeed(none2());
});
var firstSuccessOf = (effects) => suspend(() => {
  const list = fromIterable2(effects);
  if (!isNonEmpty(list)) {
    return dieSync(() => new IllegalArgumentException(`Received an empty collection of effects`));
  }
  return pipe(tailNonEmpty2(list), reduce(headNonEmpty2(list), (left3, right3) => orElse(left3, () => right3)));
});
var flipWith = /* @__PURE__ */ dual(2, (self, f) => flip(f(flip(self))));
var match6 = /* @__PURE__ */ dual(2, (self, options) => matchEffect(self, {
  onFailure: (e) => succeed(options.onFailure(e)),
  onSuccess: (a) => succeed(options.onSuccess(a))
}));
var every4 = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => forAllLoop(elements[Symbol.iterator](), 0, predicate)));
var forAllLoop = (iterator, index, f) => {
  const next = iterator.next();
  return next.done ? succeed(true) : flatMap7(f(next.value, index), (b) => b ? forAllLoop(iterator, index + 1, f) : succeed(b));
};
var forever = (self) => {
  const loop3 = flatMap7(flatMap7(self, () => yieldNow()), () => loop3);
  return loop3;
};
var fiberRefs2 = /* @__PURE__ */ withFiberRuntime((state) => succeed(state.getFiberRefs()));
var head3 = (self) => flatMap7(self, (as4) => {
  const iterator = as4[Symbol.iterator]();
  const next = iterator.next();
  if (next.done) {
    return fail2(new NoSuchElementException());
  }
  return succeed(next.value);
});
var ignore = (self) => match6(self, {
  onFailure: constVoid,
  onSuccess: constVoid
});
var ignoreLogged = (self) => matchCauseEffect(self, {
  onFailure: (cause3) => logDebug(cause3, "An error was silently ignored because it is not anticipated to be useful"),
  onSuccess: () => void_
});
var inheritFiberRefs = (childFiberRefs) => updateFiberRefs((parentFiberId, parentFiberRefs) => joinAs2(parentFiberRefs, parentFiberId, childFiberRefs));
var isFailure = (self) => match6(self, {
  onFailure: constTrue,
  onSuccess: constFalse
});
var isSuccess = (self) => match6(self, {
  onFailure: constFalse,
  onSuccess: constTrue
});
var iterate = (initial, options) => suspend(() => {
  if (options.while(initial)) {
    return flatMap7(options.body(initial), (z2) => iterate(z2, options));
  }
  return succeed(initial);
});
var logWithLevel = (level) => (...message) => {
  const levelOption = fromNullable(level);
  let cause3 = void 0;
  for (let i = 0, len = message.length; i < len; i++) {
    const msg = message[i];
    if (isCause(msg)) {
      if (cause3 !== void 0) {
        cause3 = sequential(cause3, msg);
      } else {
        cause3 = msg;
      }
      message = [...message.slice(0, i), ...message.slice(i + 1)];
      i--;
    }
  }
  if (cause3 === void 0) {
    cause3 = empty16;
  }
  return withFiberRuntime((fiberState) => {
    fiberState.log(message, cause3, levelOption);
    return void_;
  });
};
var log = /* @__PURE__ */ logWithLevel();
var logTrace = /* @__PURE__ */ logWithLevel(Trace);
var logDebug = /* @__PURE__ */ logWithLevel(Debug);
var logInfo = /* @__PURE__ */ logWithLevel(Info);
var logWarning = /* @__PURE__ */ logWithLevel(Warning);
var logError = /* @__PURE__ */ logWithLevel(Error2);
var logFatal = /* @__PURE__ */ logWithLevel(Fatal);
var withLogSpan = /* @__PURE__ */ dual(2, (effect, label) => flatMap7(currentTimeMillis2, (now) => fiberRefLocallyWith(effect, currentLogSpan, prepend3(make25(label, now)))));
var logAnnotations = /* @__PURE__ */ fiberRefGet(currentLogAnnotations);
var loop = (initial, options) => options.discard ? loopDiscard(initial, options.while, options.step, options.body) : map8(loopInternal(initial, options.while, options.step, options.body), fromIterable);
var loopInternal = (initial, cont, inc, body) => suspend(() => cont(initial) ? flatMap7(body(initial), (a) => map8(loopInternal(inc(initial), cont, inc, body), prepend3(a))) : sync(() => empty9()));
var loopDiscard = (initial, cont, inc, body) => suspend(() => cont(initial) ? flatMap7(body(initial), () => loopDiscard(inc(initial), cont, inc, body)) : void_);
var mapAccum2 = /* @__PURE__ */ dual(3, (elements, initial, f) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const builder = [];
  let result = succeed(initial);
  let next;
  let i = 0;
  while (!(next = iterator.next()).done) {
    const index = i++;
    const value2 = next.value;
    result = flatMap7(result, (state) => map8(f(state, value2, index), ([z, b]) => {
      builder.push(b);
      return z;
    }));
  }
  return map8(result, (z) => [z, builder]);
}));
var mapErrorCause = /* @__PURE__ */ dual(2, (self, f) => matchCauseEffect(self, {
  onFailure: (c) => failCauseSync(() => f(c)),
  onSuccess: succeed
}));
var memoize = (self) => pipe(deferredMake(), flatMap7((deferred) => pipe(diffFiberRefsAndRuntimeFlags(self), intoDeferred(deferred), once, map8((complete3) => zipRight(complete3, pipe(deferredAwait(deferred), flatMap7(([patch9, a]) => as(zip2(patchFiberRefs(patch9[0]), updateRuntimeFlags(patch9[1])), a))))))));
var merge5 = (self) => matchEffect(self, {
  onFailure: (e) => succeed(e),
  onSuccess: succeed
});
var negate = (self) => map8(self, (b) => !b);
var none6 = (self) => flatMap7(self, (option3) => {
  switch (option3._tag) {
    case "None":
      return void_;
    case "Some":
      return fail2(new NoSuchElementException());
  }
});
var once = (self) => map8(make27(true), (ref) => asVoid(whenEffect(self, getAndSet2(ref, false))));
var option = (self) => matchEffect(self, {
  onFailure: () => succeed(none2()),
  onSuccess: (a) => succeed(some2(a))
});
var orElseFail = /* @__PURE__ */ dual(2, (self, evaluate2) => orElse(self, () => failSync(evaluate2)));
var orElseSucceed = /* @__PURE__ */ dual(2, (self, evaluate2) => orElse(self, () => sync(evaluate2)));
var parallelErrors = (self) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const errors = fromIterable(failures(cause3));
    return errors.length === 0 ? failCause(cause3) : fail2(errors);
  },
  onSuccess: succeed
});
var patchFiberRefs = (patch9) => updateFiberRefs((fiberId3, fiberRefs3) => pipe(patch9, patch6(fiberId3, fiberRefs3)));
var promise = (evaluate2) => evaluate2.length >= 1 ? async_((resolve7, signal) => {
  try {
    evaluate2(signal).then((a) => resolve7(succeed(a)), (e) => resolve7(die2(e)));
  } catch (e) {
    resolve7(die2(e));
  }
}) : async_((resolve7) => {
  try {
    ;
    evaluate2().then((a) => resolve7(succeed(a)), (e) => resolve7(die2(e)));
  } catch (e) {
    resolve7(die2(e));
  }
});
var provideService = /* @__PURE__ */ dual(3, (self, tag, service) => contextWithEffect((env) => provideContext(self, add2(env, tag, service))));
var provideServiceEffect = /* @__PURE__ */ dual(3, (self, tag, effect) => contextWithEffect((env) => flatMap7(effect, (service) => provideContext(self, pipe(env, add2(tag, service))))));
var random2 = /* @__PURE__ */ randomWith(succeed);
var reduce8 = /* @__PURE__ */ dual(3, (elements, zero3, f) => fromIterable(elements).reduce((acc, el, i) => flatMap7(acc, (a) => f(a, el, i)), succeed(zero3)));
var reduceRight2 = /* @__PURE__ */ dual(3, (elements, zero3, f) => fromIterable(elements).reduceRight((acc, el, i) => flatMap7(acc, (a) => f(el, a, i)), succeed(zero3)));
var reduceWhile = /* @__PURE__ */ dual(3, (elements, zero3, options) => flatMap7(sync(() => elements[Symbol.iterator]()), (iterator) => reduceWhileLoop(iterator, 0, zero3, options.while, options.body)));
var reduceWhileLoop = (iterator, index, state, predicate, f) => {
  const next = iterator.next();
  if (!next.done && predicate(state)) {
    return flatMap7(f(state, next.value, index), (nextState) => reduceWhileLoop(iterator, index + 1, nextState, predicate, f));
  }
  return succeed(state);
};
var repeatN = /* @__PURE__ */ dual(2, (self, n) => suspend(() => repeatNLoop(self, n)));
var repeatNLoop = (self, n) => flatMap7(self, (a) => n <= 0 ? succeed(a) : zipRight(yieldNow(), repeatNLoop(self, n - 1)));
var sandbox = (self) => matchCauseEffect(self, {
  onFailure: fail2,
  onSuccess: succeed
});
var setFiberRefs = (fiberRefs3) => suspend(() => setAll2(fiberRefs3));
var sleep3 = sleep2;
var succeedNone = /* @__PURE__ */ succeed(/* @__PURE__ */ none2());
var succeedSome = (value2) => succeed(some2(value2));
var summarized = /* @__PURE__ */ dual(3, (self, summary5, f) => flatMap7(summary5, (start3) => flatMap7(self, (value2) => map8(summary5, (end3) => [f(start3, end3), value2]))));
var tagMetrics = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), function() {
  return labelMetrics(arguments[0], typeof arguments[1] === "string" ? [make28(arguments[1], arguments[2])] : Object.entries(arguments[1]).map(([k, v]) => make28(k, v)));
});
var labelMetrics = /* @__PURE__ */ dual(2, (self, labels) => fiberRefLocallyWith(self, currentMetricLabels, (old) => union(old, labels)));
var takeUntil = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const builder = [];
  let next;
  let effect = succeed(false);
  let i = 0;
  while ((next = iterator.next()) && !next.done) {
    const a = next.value;
    const index = i++;
    effect = flatMap7(effect, (bool) => {
      if (bool) {
        return succeed(true);
      }
      builder.push(a);
      return predicate(a, index);
    });
  }
  return map8(effect, () => builder);
}));
var takeWhile = /* @__PURE__ */ dual(2, (elements, predicate) => suspend(() => {
  const iterator = elements[Symbol.iterator]();
  const builder = [];
  let next;
  let taking = succeed(true);
  let i = 0;
  while ((next = iterator.next()) && !next.done) {
    const a = next.value;
    const index = i++;
    taking = flatMap7(taking, (taking2) => pipe(taking2 ? predicate(a, index) : succeed(false), map8((bool) => {
      if (bool) {
        builder.push(a);
      }
      return bool;
    })));
  }
  return map8(taking, () => builder);
}));
var tapBoth = /* @__PURE__ */ dual(2, (self, {
  onFailure,
  onSuccess
}) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const either4 = failureOrCause(cause3);
    switch (either4._tag) {
      case "Left": {
        return zipRight(onFailure(either4.left), failCause(cause3));
      }
      case "Right": {
        return failCause(cause3);
      }
    }
  },
  onSuccess: (a) => as(onSuccess(a), a)
}));
var tapDefect = /* @__PURE__ */ dual(2, (self, f) => catchAllCause(self, (cause3) => match2(keepDefects(cause3), {
  onNone: () => failCause(cause3),
  onSome: (a) => zipRight(f(a), failCause(cause3))
})));
var tapError = /* @__PURE__ */ dual(2, (self, f) => matchCauseEffect(self, {
  onFailure: (cause3) => {
    const either4 = failureOrCause(cause3);
    switch (either4._tag) {
      case "Left":
        return zipRight(f(either4.left), failCause(cause3));
      case "Right":
        return failCause(cause3);
    }
  },
  onSuccess: succeed
}));
var tapErrorTag = /* @__PURE__ */ dual(3, (self, k, f) => tapError(self, (e) => {
  if (isTagged(e, k)) {
    return f(e);
  }
  return void_;
}));
var tapErrorCause = /* @__PURE__ */ dual(2, (self, f) => matchCauseEffect(self, {
  onFailure: (cause3) => zipRight(f(cause3), failCause(cause3)),
  onSuccess: succeed
}));
var timed = (self) => timedWith(self, currentTimeNanos2);
var timedWith = /* @__PURE__ */ dual(2, (self, nanos2) => summarized(self, nanos2, (start3, end3) => nanos(end3 - start3)));
var tracerWith3 = tracerWith2;
var tracer = /* @__PURE__ */ tracerWith3(succeed);
var tryPromise = (arg) => {
  let evaluate2;
  let catcher = void 0;
  if (typeof arg === "function") {
    evaluate2 = arg;
  } else {
    evaluate2 = arg.try;
    catcher = arg.catch;
  }
  const fail5 = (e) => catcher ? failSync(() => catcher(e)) : fail2(new UnknownException(e, "An unknown error occurred in Effect.tryPromise"));
  if (evaluate2.length >= 1) {
    return async_((resolve7, signal) => {
      try {
        evaluate2(signal).then((a) => resolve7(succeed(a)), (e) => resolve7(fail5(e)));
      } catch (e) {
        resolve7(fail5(e));
      }
    });
  }
  return async_((resolve7) => {
    try {
      evaluate2().then((a) => resolve7(succeed(a)), (e) => resolve7(fail5(e)));
    } catch (e) {
      resolve7(fail5(e));
    }
  });
};
var tryMap = /* @__PURE__ */ dual(2, (self, options) => flatMap7(self, (a) => try_({
  try: () => options.try(a),
  catch: options.catch
})));
var tryMapPromise = /* @__PURE__ */ dual(2, (self, options) => flatMap7(self, (a) => tryPromise({
  try: options.try.length >= 1 ? (signal) => options.try(a, signal) : () => options.try(a),
  catch: options.catch
})));
var unless = /* @__PURE__ */ dual(2, (self, condition) => suspend(() => condition() ? succeedNone : asSome(self)));
var unlessEffect = /* @__PURE__ */ dual(2, (self, condition) => flatMap7(condition, (b) => b ? succeedNone : asSome(self)));
var unsandbox = (self) => mapErrorCause(self, flatten3);
var updateFiberRefs = (f) => withFiberRuntime((state) => {
  state.setFiberRefs(f(state.id(), state.getFiberRefs()));
  return void_;
});
var updateService = /* @__PURE__ */ dual(3, (self, tag, f) => mapInputContext(self, (context4) => add2(context4, tag, f(unsafeGet3(context4, tag)))));
var when = /* @__PURE__ */ dual(2, (self, condition) => suspend(() => condition() ? map8(self, some2) : succeed(none2())));
var whenFiberRef = /* @__PURE__ */ dual(3, (self, fiberRef, predicate) => flatMap7(fiberRefGet(fiberRef), (s) => predicate(s) ? map8(self, (a) => [s, some2(a)]) : succeed([s, none2()])));
var whenRef = /* @__PURE__ */ dual(3, (self, ref, predicate) => flatMap7(get12(ref), (s) => predicate(s) ? map8(self, (a) => [s, some2(a)]) : succeed([s, none2()])));
var withMetric = /* @__PURE__ */ dual(2, (self, metric) => metric(self));
var serviceFunctionEffect = (getService, f) => (...args2) => flatMap7(getService, (a) => f(a)(...args2));
var serviceFunction = (getService, f) => (...args2) => map8(getService, (a) => f(a)(...args2));
var serviceFunctions = (getService) => new Proxy({}, {
  get(_target, prop, _receiver) {
    return (...args2) => flatMap7(getService, (s) => s[prop](...args2));
  }
});
var serviceConstants = (getService) => new Proxy({}, {
  get(_target, prop, _receiver) {
    return flatMap7(getService, (s) => isEffect(s[prop]) ? s[prop] : succeed(s[prop]));
  }
});
var serviceMembers = (getService) => ({
  functions: serviceFunctions(getService),
  constants: serviceConstants(getService)
});
var serviceOption = (tag) => map8(context(), getOption2(tag));
var serviceOptional = (tag) => flatMap7(context(), getOption2(tag));
var annotateCurrentSpan = function() {
  const args2 = arguments;
  return ignore(flatMap7(currentPropagatedSpan, (span2) => sync(() => {
    if (typeof args2[0] === "string") {
      span2.attribute(args2[0], args2[1]);
    } else {
      for (const key in args2[0]) {
        span2.attribute(key, args2[0][key]);
      }
    }
  })));
};
var linkSpanCurrent = function() {
  const args2 = arguments;
  const links = Array.isArray(args2[0]) ? args2[0] : [{
    _tag: "SpanLink",
    span: args2[0],
    attributes: args2[1] ?? {}
  }];
  return ignore(flatMap7(currentSpan, (span2) => sync(() => span2.addLinks(links))));
};
var annotateSpans = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), function() {
  const args2 = arguments;
  return fiberRefLocallyWith(args2[0], currentTracerSpanAnnotations, typeof args2[1] === "string" ? set3(args2[1], args2[2]) : (annotations) => Object.entries(args2[1]).reduce((acc, [key, value2]) => set3(acc, key, value2), annotations));
});
var currentParentSpan = /* @__PURE__ */ serviceOptional(spanTag);
var currentSpan = /* @__PURE__ */ flatMap7(/* @__PURE__ */ context(), (context4) => {
  const span2 = context4.unsafeMap.get(spanTag.key);
  return span2 !== void 0 && span2._tag === "Span" ? succeed(span2) : fail2(new NoSuchElementException());
});
var currentPropagatedSpan = /* @__PURE__ */ flatMap7(/* @__PURE__ */ context(), (context4) => {
  const span2 = filterDisablePropagation(getOption2(context4, spanTag));
  return span2._tag === "Some" && span2.value._tag === "Span" ? succeed(span2.value) : fail2(new NoSuchElementException());
});
var linkSpans = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (self, span2, attributes) => fiberRefLocallyWith(self, currentTracerSpanLinks, append2({
  _tag: "SpanLink",
  span: span2,
  attributes: attributes ?? {}
})));
var bigint02 = /* @__PURE__ */ BigInt(0);
var filterDisablePropagation = /* @__PURE__ */ flatMap((span2) => get3(span2.context, DisablePropagation) ? span2._tag === "Span" ? filterDisablePropagation(span2.parent) : none2() : some2(span2));
var unsafeMakeSpan = (fiber, name, options) => {
  const disablePropagation = !fiber.getFiberRef(currentTracerEnabled) || options.context && get3(options.context, DisablePropagation);
  const context4 = fiber.getFiberRef(currentContext);
  const parent = options.parent ? some2(options.parent) : options.root ? none2() : filterDisablePropagation(getOption2(context4, spanTag));
  let span2;
  if (disablePropagation) {
    span2 = noopSpan({
      name,
      parent,
      context: add2(options.context ?? empty3(), DisablePropagation, true)
    });
  } else {
    const services = fiber.getFiberRef(currentServices);
    const tracer3 = get3(services, tracerTag);
    const clock3 = get3(services, Clock);
    const timingEnabled = fiber.getFiberRef(currentTracerTimingEnabled);
    const fiberRefs3 = fiber.getFiberRefs();
    const annotationsFromEnv = get10(fiberRefs3, currentTracerSpanAnnotations);
    const linksFromEnv = get10(fiberRefs3, currentTracerSpanLinks);
    const links = linksFromEnv._tag === "Some" ? options.links !== void 0 ? [...toReadonlyArray(linksFromEnv.value), ...options.links ?? []] : toReadonlyArray(linksFromEnv.value) : options.links ?? empty();
    span2 = tracer3.span(name, parent, options.context ?? empty3(), links, timingEnabled ? clock3.unsafeCurrentTimeNanos() : bigint02, options.kind ?? "internal", options);
    if (annotationsFromEnv._tag === "Some") {
      forEach3(annotationsFromEnv.value, (value2, key) => span2.attribute(key, value2));
    }
    if (options.attributes !== void 0) {
      Object.entries(options.attributes).forEach(([k, v]) => span2.attribute(k, v));
    }
  }
  if (typeof options.captureStackTrace === "function") {
    spanToTrace.set(span2, options.captureStackTrace);
  }
  return span2;
};
var makeSpan = (name, options) => {
  options = addSpanStackTrace(options);
  return withFiberRuntime((fiber) => succeed(unsafeMakeSpan(fiber, name, options)));
};
var spanAnnotations = /* @__PURE__ */ fiberRefGet(currentTracerSpanAnnotations);
var spanLinks = /* @__PURE__ */ fiberRefGet(currentTracerSpanLinks);
var endSpan = (span2, exit4, clock3, timingEnabled) => sync(() => {
  if (span2.status._tag === "Ended") {
    return;
  }
  if (exitIsFailure(exit4) && spanToTrace.has(span2)) {
    span2.attribute("code.stacktrace", spanToTrace.get(span2)());
  }
  span2.end(timingEnabled ? clock3.unsafeCurrentTimeNanos() : bigint02, exit4);
});
var useSpan = (name, ...args2) => {
  const options = addSpanStackTrace(args2.length === 1 ? void 0 : args2[0]);
  const evaluate2 = args2[args2.length - 1];
  return withFiberRuntime((fiber) => {
    const span2 = unsafeMakeSpan(fiber, name, options);
    const timingEnabled = fiber.getFiberRef(currentTracerTimingEnabled);
    const clock3 = get3(fiber.getFiberRef(currentServices), clockTag);
    return onExit(evaluate2(span2), (exit4) => endSpan(span2, exit4, clock3, timingEnabled));
  });
};
var withParentSpan = /* @__PURE__ */ dual(2, (self, span2) => provideService(self, spanTag, span2));
var withSpan = function() {
  const dataFirst = typeof arguments[0] !== "string";
  const name = dataFirst ? arguments[1] : arguments[0];
  const options = addSpanStackTrace(dataFirst ? arguments[2] : arguments[1]);
  if (dataFirst) {
    const self = arguments[0];
    return useSpan(name, options, (span2) => withParentSpan(self, span2));
  }
  return (self) => useSpan(name, options, (span2) => withParentSpan(self, span2));
};
var functionWithSpan = (options) => function() {
  let captureStackTrace = options.captureStackTrace ?? false;
  if (options.captureStackTrace !== false) {
    const limit = getStackTraceLimit();
    setStackTraceLimit(2);
    const error2 = new Error();
    setStackTraceLimit(limit);
    let cache = false;
    captureStackTrace = () => {
      if (cache !== false) {
        return cache;
      }
      if (error2.stack) {
        const stack = error2.stack.trim().split("\n");
        cache = stack.slice(2).join("\n").trim();
        return cache;
      }
    };
  }
  return suspend(() => {
    const opts = typeof options.options === "function" ? options.options.apply(null, arguments) : options.options;
    return withSpan(suspend(() => internalCall(() => options.body.apply(this, arguments))), opts.name, {
      ...opts,
      captureStackTrace
    });
  });
};
var fromNullable2 = (value2) => value2 == null ? fail2(new NoSuchElementException()) : succeed(value2);
var optionFromOptional = (self) => catchAll(map8(self, some2), (error2) => isNoSuchElementException(error2) ? succeedNone : fail2(error2));

// node_modules/effect/dist/esm/internal/executionStrategy.js
var OP_SEQUENTIAL2 = "Sequential";
var OP_PARALLEL2 = "Parallel";
var OP_PARALLEL_N = "ParallelN";
var sequential2 = {
  _tag: OP_SEQUENTIAL2
};
var parallel2 = {
  _tag: OP_PARALLEL2
};
var parallelN = (parallelism) => ({
  _tag: OP_PARALLEL_N,
  parallelism
});
var isSequential = (self) => self._tag === OP_SEQUENTIAL2;
var isParallel = (self) => self._tag === OP_PARALLEL2;

// node_modules/effect/dist/esm/ExecutionStrategy.js
var sequential3 = sequential2;
var parallel3 = parallel2;
var parallelN2 = parallelN;

// node_modules/effect/dist/esm/FiberRefsPatch.js
var diff6 = diff5;
var patch7 = patch6;

// node_modules/effect/dist/esm/internal/fiberStatus.js
var FiberStatusSymbolKey = "effect/FiberStatus";
var FiberStatusTypeId = /* @__PURE__ */ Symbol.for(FiberStatusSymbolKey);
var OP_DONE = "Done";
var OP_RUNNING = "Running";
var OP_SUSPENDED = "Suspended";
var DoneHash = /* @__PURE__ */ string(`${FiberStatusSymbolKey}-${OP_DONE}`);
var Done = class {
  [FiberStatusTypeId] = FiberStatusTypeId;
  _tag = OP_DONE;
  [symbol]() {
    return DoneHash;
  }
  [symbol2](that) {
    return isFiberStatus(that) && that._tag === OP_DONE;
  }
};
var Running = class {
  runtimeFlags;
  [FiberStatusTypeId] = FiberStatusTypeId;
  _tag = OP_RUNNING;
  constructor(runtimeFlags2) {
    this.runtimeFlags = runtimeFlags2;
  }
  [symbol]() {
    return pipe(hash(FiberStatusSymbolKey), combine(hash(this._tag)), combine(hash(this.runtimeFlags)), cached(this));
  }
  [symbol2](that) {
    return isFiberStatus(that) && that._tag === OP_RUNNING && this.runtimeFlags === that.runtimeFlags;
  }
};
var Suspended = class {
  runtimeFlags;
  blockingOn;
  [FiberStatusTypeId] = FiberStatusTypeId;
  _tag = OP_SUSPENDED;
  constructor(runtimeFlags2, blockingOn) {
    this.runtimeFlags = runtimeFlags2;
    this.blockingOn = blockingOn;
  }
  [symbol]() {
    return pipe(hash(FiberStatusSymbolKey), combine(hash(this._tag)), combine(hash(this.runtimeFlags)), combine(hash(this.blockingOn)), cached(this));
  }
  [symbol2](that) {
    return isFiberStatus(that) && that._tag === OP_SUSPENDED && this.runtimeFlags === that.runtimeFlags && equals(this.blockingOn, that.blockingOn);
  }
};
var done3 = /* @__PURE__ */ new Done();
var running = (runtimeFlags2) => new Running(runtimeFlags2);
var suspended = (runtimeFlags2, blockingOn) => new Suspended(runtimeFlags2, blockingOn);
var isFiberStatus = (u) => hasProperty(u, FiberStatusTypeId);
var isDone = (self) => self._tag === OP_DONE;

// node_modules/effect/dist/esm/FiberStatus.js
var done4 = done3;
var running2 = running;
var suspended2 = suspended;
var isDone2 = isDone;

// node_modules/effect/dist/esm/Micro.js
var TypeId13 = /* @__PURE__ */ Symbol.for("effect/Micro");
var MicroExitTypeId = /* @__PURE__ */ Symbol.for("effect/Micro/MicroExit");
var MicroCauseTypeId = /* @__PURE__ */ Symbol.for("effect/Micro/MicroCause");
var microCauseVariance = {
  _E: identity
};
var MicroCauseImpl = class extends globalThis.Error {
  _tag;
  traces;
  [MicroCauseTypeId];
  constructor(_tag, originalError, traces) {
    const causeName = `MicroCause.${_tag}`;
    let name;
    let message;
    let stack;
    if (originalError instanceof globalThis.Error) {
      name = `(${causeName}) ${originalError.name}`;
      message = originalError.message;
      const messageLines = message.split("\n").length;
      stack = originalError.stack ? `(${causeName}) ${originalError.stack.split("\n").slice(0, messageLines + 3).join("\n")}` : `${name}: ${message}`;
    } else {
      name = causeName;
      message = toStringUnknown(originalError, 0);
      stack = `${name}: ${message}`;
    }
    if (traces.length > 0) {
      stack += `
    ${traces.join("\n    ")}`;
    }
    super(message);
    this._tag = _tag;
    this.traces = traces;
    this[MicroCauseTypeId] = microCauseVariance;
    this.name = name;
    this.stack = stack;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
  toString() {
    return this.stack;
  }
  [NodeInspectSymbol]() {
    return this.stack;
  }
};
var Die = class extends MicroCauseImpl {
  defect;
  constructor(defect, traces = []) {
    super("Die", defect, traces);
    this.defect = defect;
  }
};
var causeDie = (defect, traces = []) => new Die(defect, traces);
var Interrupt = class extends MicroCauseImpl {
  constructor(traces = []) {
    super("Interrupt", "interrupted", traces);
  }
};
var causeInterrupt = (traces = []) => new Interrupt(traces);
var causeIsInterrupt = (self) => self._tag === "Interrupt";
var MicroFiberTypeId = /* @__PURE__ */ Symbol.for("effect/Micro/MicroFiber");
var fiberVariance = {
  _A: identity,
  _E: identity
};
var MicroFiberImpl = class {
  context;
  interruptible;
  [MicroFiberTypeId];
  _stack = [];
  _observers = [];
  _exit;
  _children;
  currentOpCount = 0;
  constructor(context4, interruptible5 = true) {
    this.context = context4;
    this.interruptible = interruptible5;
    this[MicroFiberTypeId] = fiberVariance;
  }
  getRef(ref) {
    return unsafeGetReference(this.context, ref);
  }
  addObserver(cb) {
    if (this._exit) {
      cb(this._exit);
      return constVoid;
    }
    this._observers.push(cb);
    return () => {
      const index = this._observers.indexOf(cb);
      if (index >= 0) {
        this._observers.splice(index, 1);
      }
    };
  }
  _interrupted = false;
  unsafeInterrupt() {
    if (this._exit) {
      return;
    }
    this._interrupted = true;
    if (this.interruptible) {
      this.evaluate(exitInterrupt2);
    }
  }
  unsafePoll() {
    return this._exit;
  }
  evaluate(effect) {
    if (this._exit) {
      return;
    } else if (this._yielded !== void 0) {
      const yielded = this._yielded;
      this._yielded = void 0;
      yielded();
    }
    const exit4 = this.runLoop(effect);
    if (exit4 === Yield) {
      return;
    }
    const interruptChildren = fiberMiddleware.interruptChildren && fiberMiddleware.interruptChildren(this);
    if (interruptChildren !== void 0) {
      return this.evaluate(flatMap8(interruptChildren, () => exit4));
    }
    this._exit = exit4;
    for (let i = 0; i < this._observers.length; i++) {
      this._observers[i](exit4);
    }
    this._observers.length = 0;
  }
  runLoop(effect) {
    let yielding = false;
    let current = effect;
    this.currentOpCount = 0;
    try {
      while (true) {
        this.currentOpCount++;
        if (!yielding && this.getRef(CurrentScheduler).shouldYield(this)) {
          yielding = true;
          const prev = current;
          current = flatMap8(yieldNow2, () => prev);
        }
        current = current[evaluate](this);
        if (current === Yield) {
          const yielded = this._yielded;
          if (MicroExitTypeId in yielded) {
            this._yielded = void 0;
            return yielded;
          }
          return Yield;
        }
      }
    } catch (error2) {
      if (!hasProperty(current, evaluate)) {
        return exitDie2(`MicroFiber.runLoop: Not a valid effect: ${String(current)}`);
      }
      return exitDie2(error2);
    }
  }
  getCont(symbol3) {
    while (true) {
      const op = this._stack.pop();
      if (!op) return void 0;
      const cont = op[ensureCont] && op[ensureCont](this);
      if (cont) return {
        [symbol3]: cont
      };
      if (op[symbol3]) return op;
    }
  }
  // cancel the yielded operation, or for the yielded exit value
  _yielded = void 0;
  yieldWith(value2) {
    this._yielded = value2;
    return Yield;
  }
  children() {
    return this._children ??= /* @__PURE__ */ new Set();
  }
};
var fiberMiddleware = /* @__PURE__ */ globalValue("effect/Micro/fiberMiddleware", () => ({
  interruptChildren: void 0
}));
var fiberInterruptAll = (fibers) => suspend2(() => {
  for (const fiber of fibers) fiber.unsafeInterrupt();
  const iter = fibers[Symbol.iterator]();
  const wait = suspend2(() => {
    let result = iter.next();
    while (!result.done) {
      if (result.value.unsafePoll()) {
        result = iter.next();
        continue;
      }
      const fiber = result.value;
      return async((resume2) => {
        fiber.addObserver((_) => {
          resume2(wait);
        });
      });
    }
    return exitVoid2;
  });
  return wait;
});
var identifier = /* @__PURE__ */ Symbol.for("effect/Micro/identifier");
var args = /* @__PURE__ */ Symbol.for("effect/Micro/args");
var evaluate = /* @__PURE__ */ Symbol.for("effect/Micro/evaluate");
var successCont = /* @__PURE__ */ Symbol.for("effect/Micro/successCont");
var failureCont = /* @__PURE__ */ Symbol.for("effect/Micro/failureCont");
var ensureCont = /* @__PURE__ */ Symbol.for("effect/Micro/ensureCont");
var Yield = /* @__PURE__ */ Symbol.for("effect/Micro/Yield");
var microVariance = {
  _A: identity,
  _E: identity,
  _R: identity
};
var MicroProto = {
  ...EffectPrototype2,
  _op: "Micro",
  [TypeId13]: microVariance,
  pipe() {
    return pipeArguments(this, arguments);
  },
  [Symbol.iterator]() {
    return new SingleShotGen(new YieldWrap(this));
  },
  toJSON() {
    return {
      _id: "Micro",
      op: this[identifier],
      ...args in this ? {
        args: this[args]
      } : void 0
    };
  },
  toString() {
    return format(this);
  },
  [NodeInspectSymbol]() {
    return format(this);
  }
};
function defaultEvaluate(_fiber) {
  return exitDie2(`Micro.evaluate: Not implemented`);
}
var makePrimitiveProto = (options) => ({
  ...MicroProto,
  [identifier]: options.op,
  [evaluate]: options.eval ?? defaultEvaluate,
  [successCont]: options.contA,
  [failureCont]: options.contE,
  [ensureCont]: options.ensure
});
var makePrimitive = (options) => {
  const Proto2 = makePrimitiveProto(options);
  return function() {
    const self = Object.create(Proto2);
    self[args] = options.single === false ? arguments : arguments[0];
    return self;
  };
};
var makeExit = (options) => {
  const Proto2 = {
    ...makePrimitiveProto(options),
    [MicroExitTypeId]: MicroExitTypeId,
    _tag: options.op,
    get [options.prop]() {
      return this[args];
    },
    toJSON() {
      return {
        _id: "MicroExit",
        _tag: options.op,
        [options.prop]: this[args]
      };
    },
    [symbol2](that) {
      return isMicroExit(that) && that._tag === options.op && equals(this[args], that[args]);
    },
    [symbol]() {
      return cached(this, combine(string(options.op))(hash(this[args])));
    }
  };
  return function(value2) {
    const self = Object.create(Proto2);
    self[args] = value2;
    self[successCont] = void 0;
    self[failureCont] = void 0;
    self[ensureCont] = void 0;
    return self;
  };
};
var succeed3 = /* @__PURE__ */ makeExit({
  op: "Success",
  prop: "value",
  eval(fiber) {
    const cont = fiber.getCont(successCont);
    return cont ? cont[successCont](this[args], fiber) : fiber.yieldWith(this);
  }
});
var failCause2 = /* @__PURE__ */ makeExit({
  op: "Failure",
  prop: "cause",
  eval(fiber) {
    let cont = fiber.getCont(failureCont);
    while (causeIsInterrupt(this[args]) && cont && fiber.interruptible) {
      cont = fiber.getCont(failureCont);
    }
    return cont ? cont[failureCont](this[args], fiber) : fiber.yieldWith(this);
  }
});
var sync2 = /* @__PURE__ */ makePrimitive({
  op: "Sync",
  eval(fiber) {
    const value2 = this[args]();
    const cont = fiber.getCont(successCont);
    return cont ? cont[successCont](value2, fiber) : fiber.yieldWith(exitSucceed2(value2));
  }
});
var suspend2 = /* @__PURE__ */ makePrimitive({
  op: "Suspend",
  eval(_fiber) {
    return this[args]();
  }
});
var yieldNowWith = /* @__PURE__ */ makePrimitive({
  op: "Yield",
  eval(fiber) {
    let resumed = false;
    fiber.getRef(CurrentScheduler).scheduleTask(() => {
      if (resumed) return;
      fiber.evaluate(exitVoid2);
    }, this[args] ?? 0);
    return fiber.yieldWith(() => {
      resumed = true;
    });
  }
});
var yieldNow2 = /* @__PURE__ */ yieldNowWith(0);
var void_2 = /* @__PURE__ */ succeed3(void 0);
var withMicroFiber = /* @__PURE__ */ makePrimitive({
  op: "WithMicroFiber",
  eval(fiber) {
    return this[args](fiber);
  }
});
var asyncOptions = /* @__PURE__ */ makePrimitive({
  op: "Async",
  single: false,
  eval(fiber) {
    const register = this[args][0];
    let resumed = false;
    let yielded = false;
    const controller = this[args][1] ? new AbortController() : void 0;
    const onCancel = register((effect) => {
      if (resumed) return;
      resumed = true;
      if (yielded) {
        fiber.evaluate(effect);
      } else {
        yielded = effect;
      }
    }, controller?.signal);
    if (yielded !== false) return yielded;
    yielded = true;
    fiber._yielded = () => {
      resumed = true;
    };
    if (controller === void 0 && onCancel === void 0) {
      return Yield;
    }
    fiber._stack.push(asyncFinalizer(() => {
      resumed = true;
      controller?.abort();
      return onCancel ?? exitVoid2;
    }));
    return Yield;
  }
});
var asyncFinalizer = /* @__PURE__ */ makePrimitive({
  op: "AsyncFinalizer",
  ensure(fiber) {
    if (fiber.interruptible) {
      fiber.interruptible = false;
      fiber._stack.push(setInterruptible(true));
    }
  },
  contE(cause3, _fiber) {
    return causeIsInterrupt(cause3) ? flatMap8(this[args](), () => failCause2(cause3)) : failCause2(cause3);
  }
});
var async = (register) => asyncOptions(register, register.length >= 2);
var as2 = /* @__PURE__ */ dual(2, (self, value2) => map9(self, (_) => value2));
var exit2 = (self) => matchCause2(self, {
  onFailure: exitFailCause2,
  onSuccess: exitSucceed2
});
var flatMap8 = /* @__PURE__ */ dual(2, (self, f) => {
  const onSuccess = Object.create(OnSuccessProto);
  onSuccess[args] = self;
  onSuccess[successCont] = f;
  return onSuccess;
});
var OnSuccessProto = /* @__PURE__ */ makePrimitiveProto({
  op: "OnSuccess",
  eval(fiber) {
    fiber._stack.push(this);
    return this[args];
  }
});
var map9 = /* @__PURE__ */ dual(2, (self, f) => flatMap8(self, (a) => succeed3(f(a))));
var isMicroExit = (u) => hasProperty(u, MicroExitTypeId);
var exitSucceed2 = succeed3;
var exitFailCause2 = failCause2;
var exitInterrupt2 = /* @__PURE__ */ exitFailCause2(/* @__PURE__ */ causeInterrupt());
var exitDie2 = (defect) => exitFailCause2(causeDie(defect));
var exitVoid2 = /* @__PURE__ */ exitSucceed2(void 0);
var exitVoidAll = (exits) => {
  for (const exit4 of exits) {
    if (exit4._tag === "Failure") {
      return exit4;
    }
  }
  return exitVoid2;
};
var setImmediate2 = "setImmediate" in globalThis ? globalThis.setImmediate : (f) => setTimeout(f, 0);
var MicroSchedulerDefault = class {
  tasks = [];
  running = false;
  /**
   * @since 3.5.9
   */
  scheduleTask(task, _priority) {
    this.tasks.push(task);
    if (!this.running) {
      this.running = true;
      setImmediate2(this.afterScheduled);
    }
  }
  /**
   * @since 3.5.9
   */
  afterScheduled = () => {
    this.running = false;
    this.runTasks();
  };
  /**
   * @since 3.5.9
   */
  runTasks() {
    const tasks = this.tasks;
    this.tasks = [];
    for (let i = 0, len = tasks.length; i < len; i++) {
      tasks[i]();
    }
  }
  /**
   * @since 3.5.9
   */
  shouldYield(fiber) {
    return fiber.currentOpCount >= fiber.getRef(MaxOpsBeforeYield);
  }
  /**
   * @since 3.5.9
   */
  flush() {
    while (this.tasks.length > 0) {
      this.runTasks();
    }
  }
};
var updateContext = /* @__PURE__ */ dual(2, (self, f) => withMicroFiber((fiber) => {
  const prev = fiber.context;
  fiber.context = f(prev);
  return onExit2(self, () => {
    fiber.context = prev;
    return void_2;
  });
}));
var provideContext2 = /* @__PURE__ */ dual(2, (self, provided) => updateContext(self, merge3(provided)));
var MaxOpsBeforeYield = class extends (/* @__PURE__ */ Reference2()("effect/Micro/currentMaxOpsBeforeYield", {
  defaultValue: () => 2048
})) {
};
var CurrentConcurrency = class extends (/* @__PURE__ */ Reference2()("effect/Micro/currentConcurrency", {
  defaultValue: () => "unbounded"
})) {
};
var CurrentScheduler = class extends (/* @__PURE__ */ Reference2()("effect/Micro/currentScheduler", {
  defaultValue: () => new MicroSchedulerDefault()
})) {
};
var matchCauseEffect2 = /* @__PURE__ */ dual(2, (self, options) => {
  const primitive = Object.create(OnSuccessAndFailureProto);
  primitive[args] = self;
  primitive[successCont] = options.onSuccess;
  primitive[failureCont] = options.onFailure;
  return primitive;
});
var OnSuccessAndFailureProto = /* @__PURE__ */ makePrimitiveProto({
  op: "OnSuccessAndFailure",
  eval(fiber) {
    fiber._stack.push(this);
    return this[args];
  }
});
var matchCause2 = /* @__PURE__ */ dual(2, (self, options) => matchCauseEffect2(self, {
  onFailure: (cause3) => sync2(() => options.onFailure(cause3)),
  onSuccess: (value2) => sync2(() => options.onSuccess(value2))
}));
var MicroScopeTypeId = /* @__PURE__ */ Symbol.for("effect/Micro/MicroScope");
var MicroScopeImpl = class _MicroScopeImpl {
  [MicroScopeTypeId];
  state = {
    _tag: "Open",
    finalizers: /* @__PURE__ */ new Set()
  };
  constructor() {
    this[MicroScopeTypeId] = MicroScopeTypeId;
  }
  unsafeAddFinalizer(finalizer) {
    if (this.state._tag === "Open") {
      this.state.finalizers.add(finalizer);
    }
  }
  addFinalizer(finalizer) {
    return suspend2(() => {
      if (this.state._tag === "Open") {
        this.state.finalizers.add(finalizer);
        return void_2;
      }
      return finalizer(this.state.exit);
    });
  }
  unsafeRemoveFinalizer(finalizer) {
    if (this.state._tag === "Open") {
      this.state.finalizers.delete(finalizer);
    }
  }
  close(microExit) {
    return suspend2(() => {
      if (this.state._tag === "Open") {
        const finalizers = Array.from(this.state.finalizers).reverse();
        this.state = {
          _tag: "Closed",
          exit: microExit
        };
        return flatMap8(forEach4(finalizers, (finalizer) => exit2(finalizer(microExit))), exitVoidAll);
      }
      return void_2;
    });
  }
  get fork() {
    return sync2(() => {
      const newScope = new _MicroScopeImpl();
      if (this.state._tag === "Closed") {
        newScope.state = this.state;
        return newScope;
      }
      function fin(exit4) {
        return newScope.close(exit4);
      }
      this.state.finalizers.add(fin);
      newScope.unsafeAddFinalizer((_) => sync2(() => this.unsafeRemoveFinalizer(fin)));
      return newScope;
    });
  }
};
var onExit2 = /* @__PURE__ */ dual(2, (self, f) => uninterruptibleMask2((restore) => matchCauseEffect2(restore(self), {
  onFailure: (cause3) => flatMap8(f(exitFailCause2(cause3)), () => failCause2(cause3)),
  onSuccess: (a) => flatMap8(f(exitSucceed2(a)), () => succeed3(a))
})));
var setInterruptible = /* @__PURE__ */ makePrimitive({
  op: "SetInterruptible",
  ensure(fiber) {
    fiber.interruptible = this[args];
    if (fiber._interrupted && fiber.interruptible) {
      return () => exitInterrupt2;
    }
  }
});
var interruptible3 = (self) => withMicroFiber((fiber) => {
  if (fiber.interruptible) return self;
  fiber.interruptible = true;
  fiber._stack.push(setInterruptible(false));
  if (fiber._interrupted) return exitInterrupt2;
  return self;
});
var uninterruptibleMask2 = (f) => withMicroFiber((fiber) => {
  if (!fiber.interruptible) return f(identity);
  fiber.interruptible = false;
  fiber._stack.push(setInterruptible(true));
  return f(interruptible3);
});
var whileLoop2 = /* @__PURE__ */ makePrimitive({
  op: "While",
  contA(value2, fiber) {
    this[args].step(value2);
    if (this[args].while()) {
      fiber._stack.push(this);
      return this[args].body();
    }
    return exitVoid2;
  },
  eval(fiber) {
    if (this[args].while()) {
      fiber._stack.push(this);
      return this[args].body();
    }
    return exitVoid2;
  }
});
var forEach4 = (iterable, f, options) => withMicroFiber((parent) => {
  const concurrencyOption = options?.concurrency === "inherit" ? parent.getRef(CurrentConcurrency) : options?.concurrency ?? 1;
  const concurrency = concurrencyOption === "unbounded" ? Number.POSITIVE_INFINITY : Math.max(1, concurrencyOption);
  const items = fromIterable(iterable);
  let length2 = items.length;
  if (length2 === 0) {
    return options?.discard ? void_2 : succeed3([]);
  }
  const out = options?.discard ? void 0 : new Array(length2);
  let index = 0;
  if (concurrency === 1) {
    return as2(whileLoop2({
      while: () => index < items.length,
      body: () => f(items[index], index),
      step: out ? (b) => out[index++] = b : (_) => index++
    }), out);
  }
  return async((resume2) => {
    const fibers = /* @__PURE__ */ new Set();
    let result = void 0;
    let inProgress = 0;
    let doneCount = 0;
    let pumping = false;
    let interrupted = false;
    function pump() {
      pumping = true;
      while (inProgress < concurrency && index < length2) {
        const currentIndex = index;
        const item = items[currentIndex];
        index++;
        inProgress++;
        try {
          const child = unsafeFork(parent, f(item, currentIndex), true, true);
          fibers.add(child);
          child.addObserver((exit4) => {
            fibers.delete(child);
            if (interrupted) {
              return;
            } else if (exit4._tag === "Failure") {
              if (result === void 0) {
                result = exit4;
                length2 = index;
                fibers.forEach((fiber) => fiber.unsafeInterrupt());
              }
            } else if (out !== void 0) {
              out[currentIndex] = exit4.value;
            }
            doneCount++;
            inProgress--;
            if (doneCount === length2) {
              resume2(result ?? succeed3(out));
            } else if (!pumping && inProgress < concurrency) {
              pump();
            }
          });
        } catch (err) {
          result = exitDie2(err);
          length2 = index;
          fibers.forEach((fiber) => fiber.unsafeInterrupt());
        }
      }
      pumping = false;
    }
    pump();
    return suspend2(() => {
      interrupted = true;
      index = length2;
      return fiberInterruptAll(fibers);
    });
  });
});
var unsafeFork = (parent, effect, immediate = false, daemon = false) => {
  const child = new MicroFiberImpl(parent.context, parent.interruptible);
  if (!daemon) {
    parent.children().add(child);
    child.addObserver(() => parent.children().delete(child));
  }
  if (immediate) {
    child.evaluate(effect);
  } else {
    parent.getRef(CurrentScheduler).scheduleTask(() => child.evaluate(effect), 0);
  }
  return child;
};
var runFork = (effect, options) => {
  const fiber = new MicroFiberImpl(CurrentScheduler.context(options?.scheduler ?? new MicroSchedulerDefault()));
  fiber.evaluate(effect);
  if (options?.signal) {
    if (options.signal.aborted) {
      fiber.unsafeInterrupt();
    } else {
      const abort = () => fiber.unsafeInterrupt();
      options.signal.addEventListener("abort", abort, {
        once: true
      });
      fiber.addObserver(() => options.signal.removeEventListener("abort", abort));
    }
  }
  return fiber;
};

// node_modules/effect/dist/esm/Scheduler.js
var SchedulerRunner = class _SchedulerRunner {
  scheduleDrain;
  running = false;
  tasks = /* @__PURE__ */ new PriorityBuckets();
  constructor(scheduleDrain) {
    this.scheduleDrain = scheduleDrain;
  }
  starveInternal = (depth) => {
    const tasks = this.tasks.buckets;
    this.tasks.buckets = [];
    for (const [_, toRun] of tasks) {
      for (let i = 0; i < toRun.length; i++) {
        toRun[i]();
      }
    }
    if (this.tasks.buckets.length === 0) {
      this.running = false;
    } else {
      this.starve(depth);
    }
  };
  starve(depth = 0) {
    this.scheduleDrain(depth, this.starveInternal);
  }
  scheduleTask(task, priority) {
    this.tasks.scheduleTask(task, priority);
    if (!this.running) {
      this.running = true;
      this.starve();
    }
  }
  /**
   * @since 3.20.0
   * @category constructors
   */
  static cached(scheduleDrain) {
    const fallback = new _SchedulerRunner(scheduleDrain);
    const runners = /* @__PURE__ */ new WeakMap();
    return (fiber) => {
      if (fiber === void 0) {
        return fallback;
      }
      let runner = runners.get(fiber);
      if (runner === void 0) {
        runner = new _SchedulerRunner(scheduleDrain);
        runners.set(fiber, runner);
      }
      return runner;
    };
  }
};
var PriorityBuckets = class {
  /**
   * @since 2.0.0
   */
  buckets = [];
  /**
   * @since 2.0.0
   */
  scheduleTask(task, priority) {
    const length2 = this.buckets.length;
    let bucket = void 0;
    let index = 0;
    for (; index < length2; index++) {
      if (this.buckets[index][0] <= priority) {
        bucket = this.buckets[index];
      } else {
        break;
      }
    }
    if (bucket && bucket[0] === priority) {
      bucket[1].push(task);
    } else if (index === length2) {
      this.buckets.push([priority, [task]]);
    } else {
      this.buckets.splice(index, 0, [priority, [task]]);
    }
  }
};
var MixedScheduler = class {
  maxNextTickBeforeTimer;
  getRunner = /* @__PURE__ */ SchedulerRunner.cached((depth, drain) => {
    if (depth >= this.maxNextTickBeforeTimer) {
      setTimeout(() => drain(0), 0);
    } else {
      Promise.resolve(void 0).then(() => drain(depth + 1));
    }
  });
  constructor(maxNextTickBeforeTimer) {
    this.maxNextTickBeforeTimer = maxNextTickBeforeTimer;
  }
  /**
   * @since 2.0.0
   */
  shouldYield(fiber) {
    return fiber.currentOpCount > fiber.getFiberRef(currentMaxOpsBeforeYield) ? fiber.getFiberRef(currentSchedulingPriority) : false;
  }
  /**
   * @since 2.0.0
   */
  scheduleTask(task, priority, fiber) {
    this.getRunner(fiber).scheduleTask(task, priority);
  }
};
var defaultScheduler = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Scheduler/defaultScheduler"), () => new MixedScheduler(2048));
var SyncScheduler = class {
  /**
   * @since 2.0.0
   */
  tasks = /* @__PURE__ */ new PriorityBuckets();
  /**
   * @since 2.0.0
   */
  deferred = false;
  /**
   * @since 2.0.0
   */
  scheduleTask(task, priority, fiber) {
    if (this.deferred) {
      defaultScheduler.scheduleTask(task, priority, fiber);
    } else {
      this.tasks.scheduleTask(task, priority);
    }
  }
  /**
   * @since 2.0.0
   */
  shouldYield(fiber) {
    return fiber.currentOpCount > fiber.getFiberRef(currentMaxOpsBeforeYield) ? fiber.getFiberRef(currentSchedulingPriority) : false;
  }
  /**
   * @since 2.0.0
   */
  flush() {
    while (this.tasks.buckets.length > 0) {
      const tasks = this.tasks.buckets;
      this.tasks.buckets = [];
      for (const [_, toRun] of tasks) {
        for (let i = 0; i < toRun.length; i++) {
          toRun[i]();
        }
      }
    }
    this.deferred = true;
  }
};
var currentScheduler = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentScheduler"), () => fiberRefUnsafeMake(defaultScheduler));
var withScheduler = /* @__PURE__ */ dual(2, (self, scheduler) => fiberRefLocally(self, currentScheduler, scheduler));

// node_modules/effect/dist/esm/internal/completedRequestMap.js
var currentRequestMap = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentRequestMap"), () => fiberRefUnsafeMake(/* @__PURE__ */ new Map()));

// node_modules/effect/dist/esm/internal/concurrency.js
var match8 = (concurrency, sequential4, unbounded2, bounded) => {
  switch (concurrency) {
    case void 0:
      return sequential4();
    case "unbounded":
      return unbounded2();
    case "inherit":
      return fiberRefGetWith(currentConcurrency, (concurrency2) => concurrency2 === "unbounded" ? unbounded2() : concurrency2 > 1 ? bounded(concurrency2) : sequential4());
    default:
      return concurrency > 1 ? bounded(concurrency) : sequential4();
  }
};
var matchSimple = (concurrency, sequential4, concurrent) => {
  switch (concurrency) {
    case void 0:
      return sequential4();
    case "unbounded":
      return concurrent();
    case "inherit":
      return fiberRefGetWith(currentConcurrency, (concurrency2) => concurrency2 === "unbounded" || concurrency2 > 1 ? concurrent() : sequential4());
    default:
      return concurrency > 1 ? concurrent() : sequential4();
  }
};

// node_modules/effect/dist/esm/internal/fiberMessage.js
var OP_INTERRUPT_SIGNAL = "InterruptSignal";
var OP_STATEFUL = "Stateful";
var OP_RESUME = "Resume";
var OP_YIELD_NOW = "YieldNow";
var interruptSignal = (cause3) => ({
  _tag: OP_INTERRUPT_SIGNAL,
  cause: cause3
});
var stateful = (onFiber) => ({
  _tag: OP_STATEFUL,
  onFiber
});
var resume = (effect) => ({
  _tag: OP_RESUME,
  effect
});
var yieldNow3 = () => ({
  _tag: OP_YIELD_NOW
});

// node_modules/effect/dist/esm/internal/fiberScope.js
var FiberScopeSymbolKey = "effect/FiberScope";
var FiberScopeTypeId = /* @__PURE__ */ Symbol.for(FiberScopeSymbolKey);
var Global = class {
  [FiberScopeTypeId] = FiberScopeTypeId;
  fiberId = none4;
  roots = /* @__PURE__ */ new Set();
  add(_runtimeFlags, child) {
    this.roots.add(child);
    child.addObserver(() => {
      this.roots.delete(child);
    });
  }
};
var Local = class {
  fiberId;
  parent;
  [FiberScopeTypeId] = FiberScopeTypeId;
  constructor(fiberId3, parent) {
    this.fiberId = fiberId3;
    this.parent = parent;
  }
  add(_runtimeFlags, child) {
    this.parent.tell(stateful((parentFiber) => {
      parentFiber.addChild(child);
      child.addObserver(() => {
        parentFiber.removeChild(child);
      });
    }));
  }
};
var unsafeMake6 = (fiber) => {
  return new Local(fiber.id(), fiber);
};
var globalScope = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberScope/Global"), () => new Global());

// node_modules/effect/dist/esm/internal/fiber.js
var FiberSymbolKey = "effect/Fiber";
var FiberTypeId = /* @__PURE__ */ Symbol.for(FiberSymbolKey);
var fiberVariance2 = {
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _A: (_) => _
};
var fiberProto = {
  [FiberTypeId]: fiberVariance2,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var RuntimeFiberSymbolKey = "effect/Fiber";
var RuntimeFiberTypeId = /* @__PURE__ */ Symbol.for(RuntimeFiberSymbolKey);
var isRuntimeFiber = (self) => RuntimeFiberTypeId in self;
var _await2 = (self) => self.await;
var inheritAll = (self) => self.inheritAll;
var interruptAllAs = /* @__PURE__ */ dual(2, /* @__PURE__ */ fnUntraced(function* (fibers, fiberId3) {
  for (const fiber of fibers) {
    if (isRuntimeFiber(fiber)) {
      fiber.unsafeInterruptAsFork(fiberId3);
      continue;
    }
    yield* fiber.interruptAsFork(fiberId3);
  }
  for (const fiber of fibers) {
    if (isRuntimeFiber(fiber) && fiber.unsafePoll()) {
      continue;
    }
    yield* fiber.await;
  }
}));
var interruptAsFork = /* @__PURE__ */ dual(2, (self, fiberId3) => self.interruptAsFork(fiberId3));
var join2 = (self) => zipLeft(flatten4(self.await), self.inheritAll);
var _never = {
  ...CommitPrototype,
  commit() {
    return join2(this);
  },
  ...fiberProto,
  id: () => none4,
  await: never,
  children: /* @__PURE__ */ succeed([]),
  inheritAll: never,
  poll: /* @__PURE__ */ succeed(/* @__PURE__ */ none2()),
  interruptAsFork: () => never
};
var currentFiberURI = "effect/FiberCurrent";

// node_modules/effect/dist/esm/internal/logger.js
var LoggerSymbolKey = "effect/Logger";
var LoggerTypeId = /* @__PURE__ */ Symbol.for(LoggerSymbolKey);
var loggerVariance = {
  /* c8 ignore next */
  _Message: (_) => _,
  /* c8 ignore next */
  _Output: (_) => _
};
var makeLogger = (log4) => ({
  [LoggerTypeId]: loggerVariance,
  log: log4,
  pipe() {
    return pipeArguments(this, arguments);
  }
});
var none7 = {
  [LoggerTypeId]: loggerVariance,
  log: constVoid,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var textOnly = /^[^\s"=]*$/;
var format3 = (quoteValue, whitespace) => ({
  annotations,
  cause: cause3,
  date,
  fiberId: fiberId3,
  logLevel,
  message,
  spans
}) => {
  const formatValue = (value2) => value2.match(textOnly) ? value2 : quoteValue(value2);
  const format4 = (label, value2) => `${formatLabel(label)}=${formatValue(value2)}`;
  const append5 = (label, value2) => " " + format4(label, value2);
  let out = format4("timestamp", date.toISOString());
  out += append5("level", logLevel.label);
  out += append5("fiber", threadName(fiberId3));
  const messages = ensure(message);
  for (let i = 0; i < messages.length; i++) {
    out += append5("message", toStringUnknown(messages[i], whitespace));
  }
  if (!isEmptyType(cause3)) {
    out += append5("cause", pretty(cause3, {
      renderErrorCause: true
    }));
  }
  for (const span2 of spans) {
    out += " " + render(date.getTime())(span2);
  }
  for (const [label, value2] of annotations) {
    out += append5(label, toStringUnknown(value2, whitespace));
  }
  return out;
};
var escapeDoubleQuotes = (s) => `"${s.replace(/\\([\s\S])|(")/g, "\\$1$2")}"`;
var stringLogger = /* @__PURE__ */ makeLogger(/* @__PURE__ */ format3(escapeDoubleQuotes));
var colors = {
  bold: "1",
  red: "31",
  green: "32",
  yellow: "33",
  blue: "34",
  cyan: "36",
  white: "37",
  gray: "90",
  black: "30",
  bgBrightRed: "101"
};
var logLevelColors = {
  None: [],
  All: [],
  Trace: [colors.gray],
  Debug: [colors.blue],
  Info: [colors.green],
  Warning: [colors.yellow],
  Error: [colors.red],
  Fatal: [colors.bgBrightRed, colors.black]
};
var hasProcessStdout = typeof process === "object" && process !== null && typeof process.stdout === "object" && process.stdout !== null;
var processStdoutIsTTY = hasProcessStdout && process.stdout.isTTY === true;
var hasProcessStdoutOrDeno = hasProcessStdout || "Deno" in globalThis;

// node_modules/effect/dist/esm/internal/metric/boundaries.js
var MetricBoundariesSymbolKey = "effect/MetricBoundaries";
var MetricBoundariesTypeId = /* @__PURE__ */ Symbol.for(MetricBoundariesSymbolKey);
var MetricBoundariesImpl = class {
  values;
  [MetricBoundariesTypeId] = MetricBoundariesTypeId;
  constructor(values3) {
    this.values = values3;
    this._hash = pipe(string(MetricBoundariesSymbolKey), combine(array2(this.values)));
  }
  _hash;
  [symbol]() {
    return this._hash;
  }
  [symbol2](u) {
    return isMetricBoundaries(u) && equals(this.values, u.values);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var isMetricBoundaries = (u) => hasProperty(u, MetricBoundariesTypeId);
var fromIterable7 = (iterable) => {
  const values3 = pipe(iterable, appendAll(of2(Number.POSITIVE_INFINITY)), dedupe);
  return new MetricBoundariesImpl(values3);
};
var exponential = (options) => pipe(makeBy(options.count - 1, (i) => options.start * Math.pow(options.factor, i)), unsafeFromArray, fromIterable7);

// node_modules/effect/dist/esm/internal/metric/keyType.js
var MetricKeyTypeSymbolKey = "effect/MetricKeyType";
var MetricKeyTypeTypeId = /* @__PURE__ */ Symbol.for(MetricKeyTypeSymbolKey);
var CounterKeyTypeSymbolKey = "effect/MetricKeyType/Counter";
var CounterKeyTypeTypeId = /* @__PURE__ */ Symbol.for(CounterKeyTypeSymbolKey);
var FrequencyKeyTypeSymbolKey = "effect/MetricKeyType/Frequency";
var FrequencyKeyTypeTypeId = /* @__PURE__ */ Symbol.for(FrequencyKeyTypeSymbolKey);
var GaugeKeyTypeSymbolKey = "effect/MetricKeyType/Gauge";
var GaugeKeyTypeTypeId = /* @__PURE__ */ Symbol.for(GaugeKeyTypeSymbolKey);
var HistogramKeyTypeSymbolKey = "effect/MetricKeyType/Histogram";
var HistogramKeyTypeTypeId = /* @__PURE__ */ Symbol.for(HistogramKeyTypeSymbolKey);
var SummaryKeyTypeSymbolKey = "effect/MetricKeyType/Summary";
var SummaryKeyTypeTypeId = /* @__PURE__ */ Symbol.for(SummaryKeyTypeSymbolKey);
var metricKeyTypeVariance = {
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _Out: (_) => _
};
var CounterKeyType = class {
  incremental;
  bigint;
  [MetricKeyTypeTypeId] = metricKeyTypeVariance;
  [CounterKeyTypeTypeId] = CounterKeyTypeTypeId;
  constructor(incremental, bigint) {
    this.incremental = incremental;
    this.bigint = bigint;
    this._hash = string(CounterKeyTypeSymbolKey);
  }
  _hash;
  [symbol]() {
    return this._hash;
  }
  [symbol2](that) {
    return isCounterKey(that);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var FrequencyKeyTypeHash = /* @__PURE__ */ string(FrequencyKeyTypeSymbolKey);
var FrequencyKeyType = class {
  preregisteredWords;
  [MetricKeyTypeTypeId] = metricKeyTypeVariance;
  [FrequencyKeyTypeTypeId] = FrequencyKeyTypeTypeId;
  constructor(preregisteredWords) {
    this.preregisteredWords = preregisteredWords;
  }
  [symbol]() {
    return FrequencyKeyTypeHash;
  }
  [symbol2](that) {
    return isFrequencyKey(that);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var GaugeKeyTypeHash = /* @__PURE__ */ string(GaugeKeyTypeSymbolKey);
var GaugeKeyType = class {
  bigint;
  [MetricKeyTypeTypeId] = metricKeyTypeVariance;
  [GaugeKeyTypeTypeId] = GaugeKeyTypeTypeId;
  constructor(bigint) {
    this.bigint = bigint;
  }
  [symbol]() {
    return GaugeKeyTypeHash;
  }
  [symbol2](that) {
    return isGaugeKey(that);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var HistogramKeyType = class {
  boundaries;
  [MetricKeyTypeTypeId] = metricKeyTypeVariance;
  [HistogramKeyTypeTypeId] = HistogramKeyTypeTypeId;
  constructor(boundaries) {
    this.boundaries = boundaries;
    this._hash = pipe(string(HistogramKeyTypeSymbolKey), combine(hash(this.boundaries)));
  }
  _hash;
  [symbol]() {
    return this._hash;
  }
  [symbol2](that) {
    return isHistogramKey(that) && equals(this.boundaries, that.boundaries);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var SummaryKeyType = class {
  maxAge;
  maxSize;
  error;
  quantiles;
  [MetricKeyTypeTypeId] = metricKeyTypeVariance;
  [SummaryKeyTypeTypeId] = SummaryKeyTypeTypeId;
  constructor(maxAge, maxSize, error2, quantiles) {
    this.maxAge = maxAge;
    this.maxSize = maxSize;
    this.error = error2;
    this.quantiles = quantiles;
    this._hash = pipe(string(SummaryKeyTypeSymbolKey), combine(hash(this.maxAge)), combine(hash(this.maxSize)), combine(hash(this.error)), combine(array2(this.quantiles)));
  }
  _hash;
  [symbol]() {
    return this._hash;
  }
  [symbol2](that) {
    return isSummaryKey(that) && equals(this.maxAge, that.maxAge) && this.maxSize === that.maxSize && this.error === that.error && equals(this.quantiles, that.quantiles);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var counter = (options) => new CounterKeyType(options?.incremental ?? false, options?.bigint ?? false);
var histogram = (boundaries) => {
  return new HistogramKeyType(boundaries);
};
var isCounterKey = (u) => hasProperty(u, CounterKeyTypeTypeId);
var isFrequencyKey = (u) => hasProperty(u, FrequencyKeyTypeTypeId);
var isGaugeKey = (u) => hasProperty(u, GaugeKeyTypeTypeId);
var isHistogramKey = (u) => hasProperty(u, HistogramKeyTypeTypeId);
var isSummaryKey = (u) => hasProperty(u, SummaryKeyTypeTypeId);

// node_modules/effect/dist/esm/internal/metric/key.js
var MetricKeySymbolKey = "effect/MetricKey";
var MetricKeyTypeId = /* @__PURE__ */ Symbol.for(MetricKeySymbolKey);
var metricKeyVariance = {
  /* c8 ignore next */
  _Type: (_) => _
};
var arrayEquivilence = /* @__PURE__ */ getEquivalence(equals);
var MetricKeyImpl = class {
  name;
  keyType;
  description;
  tags;
  [MetricKeyTypeId] = metricKeyVariance;
  constructor(name, keyType, description, tags = []) {
    this.name = name;
    this.keyType = keyType;
    this.description = description;
    this.tags = tags;
    this._hash = pipe(string(this.name + this.description), combine(hash(this.keyType)), combine(array2(this.tags)));
  }
  _hash;
  [symbol]() {
    return this._hash;
  }
  [symbol2](u) {
    return isMetricKey(u) && this.name === u.name && equals(this.keyType, u.keyType) && equals(this.description, u.description) && arrayEquivilence(this.tags, u.tags);
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var isMetricKey = (u) => hasProperty(u, MetricKeyTypeId);
var counter2 = (name, options) => new MetricKeyImpl(name, counter(options), fromNullable(options?.description));
var histogram2 = (name, boundaries, description) => new MetricKeyImpl(name, histogram(boundaries), fromNullable(description));
var taggedWithLabels = /* @__PURE__ */ dual(2, (self, extraTags) => extraTags.length === 0 ? self : new MetricKeyImpl(self.name, self.keyType, self.description, union(self.tags, extraTags)));

// node_modules/effect/dist/esm/internal/metric/state.js
var MetricStateSymbolKey = "effect/MetricState";
var MetricStateTypeId = /* @__PURE__ */ Symbol.for(MetricStateSymbolKey);
var CounterStateSymbolKey = "effect/MetricState/Counter";
var CounterStateTypeId = /* @__PURE__ */ Symbol.for(CounterStateSymbolKey);
var FrequencyStateSymbolKey = "effect/MetricState/Frequency";
var FrequencyStateTypeId = /* @__PURE__ */ Symbol.for(FrequencyStateSymbolKey);
var GaugeStateSymbolKey = "effect/MetricState/Gauge";
var GaugeStateTypeId = /* @__PURE__ */ Symbol.for(GaugeStateSymbolKey);
var HistogramStateSymbolKey = "effect/MetricState/Histogram";
var HistogramStateTypeId = /* @__PURE__ */ Symbol.for(HistogramStateSymbolKey);
var SummaryStateSymbolKey = "effect/MetricState/Summary";
var SummaryStateTypeId = /* @__PURE__ */ Symbol.for(SummaryStateSymbolKey);
var metricStateVariance = {
  /* c8 ignore next */
  _A: (_) => _
};
var CounterState = class {
  count;
  [MetricStateTypeId] = metricStateVariance;
  [CounterStateTypeId] = CounterStateTypeId;
  constructor(count) {
    this.count = count;
  }
  [symbol]() {
    return pipe(hash(CounterStateSymbolKey), combine(hash(this.count)), cached(this));
  }
  [symbol2](that) {
    return isCounterState(that) && this.count === that.count;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var arrayEquals = /* @__PURE__ */ getEquivalence(equals);
var FrequencyState = class {
  occurrences;
  [MetricStateTypeId] = metricStateVariance;
  [FrequencyStateTypeId] = FrequencyStateTypeId;
  constructor(occurrences) {
    this.occurrences = occurrences;
  }
  _hash;
  [symbol]() {
    return pipe(string(FrequencyStateSymbolKey), combine(array2(fromIterable(this.occurrences.entries()))), cached(this));
  }
  [symbol2](that) {
    return isFrequencyState(that) && arrayEquals(fromIterable(this.occurrences.entries()), fromIterable(that.occurrences.entries()));
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var GaugeState = class {
  value;
  [MetricStateTypeId] = metricStateVariance;
  [GaugeStateTypeId] = GaugeStateTypeId;
  constructor(value2) {
    this.value = value2;
  }
  [symbol]() {
    return pipe(hash(GaugeStateSymbolKey), combine(hash(this.value)), cached(this));
  }
  [symbol2](u) {
    return isGaugeState(u) && this.value === u.value;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var HistogramState = class {
  buckets;
  count;
  min;
  max;
  sum;
  [MetricStateTypeId] = metricStateVariance;
  [HistogramStateTypeId] = HistogramStateTypeId;
  constructor(buckets, count, min3, max5, sum2) {
    this.buckets = buckets;
    this.count = count;
    this.min = min3;
    this.max = max5;
    this.sum = sum2;
  }
  [symbol]() {
    return pipe(hash(HistogramStateSymbolKey), combine(hash(this.buckets)), combine(hash(this.count)), combine(hash(this.min)), combine(hash(this.max)), combine(hash(this.sum)), cached(this));
  }
  [symbol2](that) {
    return isHistogramState(that) && equals(this.buckets, that.buckets) && this.count === that.count && this.min === that.min && this.max === that.max && this.sum === that.sum;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var SummaryState = class {
  error;
  quantiles;
  count;
  min;
  max;
  sum;
  [MetricStateTypeId] = metricStateVariance;
  [SummaryStateTypeId] = SummaryStateTypeId;
  constructor(error2, quantiles, count, min3, max5, sum2) {
    this.error = error2;
    this.quantiles = quantiles;
    this.count = count;
    this.min = min3;
    this.max = max5;
    this.sum = sum2;
  }
  [symbol]() {
    return pipe(hash(SummaryStateSymbolKey), combine(hash(this.error)), combine(hash(this.quantiles)), combine(hash(this.count)), combine(hash(this.min)), combine(hash(this.max)), combine(hash(this.sum)), cached(this));
  }
  [symbol2](that) {
    return isSummaryState(that) && this.error === that.error && equals(this.quantiles, that.quantiles) && this.count === that.count && this.min === that.min && this.max === that.max && this.sum === that.sum;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var counter3 = (count) => new CounterState(count);
var frequency2 = (occurrences) => {
  return new FrequencyState(occurrences);
};
var gauge2 = (count) => new GaugeState(count);
var histogram3 = (options) => new HistogramState(options.buckets, options.count, options.min, options.max, options.sum);
var summary2 = (options) => new SummaryState(options.error, options.quantiles, options.count, options.min, options.max, options.sum);
var isCounterState = (u) => hasProperty(u, CounterStateTypeId);
var isFrequencyState = (u) => hasProperty(u, FrequencyStateTypeId);
var isGaugeState = (u) => hasProperty(u, GaugeStateTypeId);
var isHistogramState = (u) => hasProperty(u, HistogramStateTypeId);
var isSummaryState = (u) => hasProperty(u, SummaryStateTypeId);

// node_modules/effect/dist/esm/internal/metric/hook.js
var MetricHookSymbolKey = "effect/MetricHook";
var MetricHookTypeId = /* @__PURE__ */ Symbol.for(MetricHookSymbolKey);
var metricHookVariance = {
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _Out: (_) => _
};
var make29 = (options) => ({
  [MetricHookTypeId]: metricHookVariance,
  pipe() {
    return pipeArguments(this, arguments);
  },
  ...options
});
var bigint03 = /* @__PURE__ */ BigInt(0);
var counter4 = (key) => {
  let sum2 = key.keyType.bigint ? bigint03 : 0;
  const canUpdate = key.keyType.incremental ? key.keyType.bigint ? (value2) => value2 >= bigint03 : (value2) => value2 >= 0 : (_value) => true;
  const update5 = (value2) => {
    if (canUpdate(value2)) {
      sum2 = sum2 + value2;
    }
  };
  return make29({
    get: () => counter3(sum2),
    update: update5,
    modify: update5
  });
};
var frequency3 = (key) => {
  const values3 = /* @__PURE__ */ new Map();
  for (const word of key.keyType.preregisteredWords) {
    values3.set(word, 0);
  }
  const update5 = (word) => {
    const slotCount = values3.get(word) ?? 0;
    values3.set(word, slotCount + 1);
  };
  return make29({
    get: () => frequency2(values3),
    update: update5,
    modify: update5
  });
};
var gauge3 = (_key, startAt) => {
  let value2 = startAt;
  return make29({
    get: () => gauge2(value2),
    update: (v) => {
      value2 = v;
    },
    modify: (v) => {
      value2 = value2 + v;
    }
  });
};
var histogram4 = (key) => {
  const bounds = key.keyType.boundaries.values;
  const size9 = bounds.length;
  const values3 = new Uint32Array(size9 + 1);
  const boundaries = new Float64Array(size9);
  let count = 0;
  let sum2 = 0;
  let min3 = Number.MAX_VALUE;
  let max5 = Number.MIN_VALUE;
  pipe(bounds, sort(Order), map2((n, i) => {
    boundaries[i] = n;
  }));
  const update5 = (value2) => {
    let from = 0;
    let to = size9;
    while (from !== to) {
      const mid = Math.floor(from + (to - from) / 2);
      const boundary = boundaries[mid];
      if (value2 <= boundary) {
        to = mid;
      } else {
        from = mid;
      }
      if (to === from + 1) {
        if (value2 <= boundaries[from]) {
          to = from;
        } else {
          from = to;
        }
      }
    }
    values3[from] = values3[from] + 1;
    count = count + 1;
    sum2 = sum2 + value2;
    if (value2 < min3) {
      min3 = value2;
    }
    if (value2 > max5) {
      max5 = value2;
    }
  };
  const getBuckets = () => {
    const builder = allocate(size9);
    let cumulated = 0;
    for (let i = 0; i < size9; i++) {
      const boundary = boundaries[i];
      const value2 = values3[i];
      cumulated = cumulated + value2;
      builder[i] = [boundary, cumulated];
    }
    return builder;
  };
  return make29({
    get: () => histogram3({
      buckets: getBuckets(),
      count,
      min: min3,
      max: max5,
      sum: sum2
    }),
    update: update5,
    modify: update5
  });
};
var summary3 = (key) => {
  const {
    error: error2,
    maxAge,
    maxSize,
    quantiles
  } = key.keyType;
  const sortedQuantiles = pipe(quantiles, sort(Order));
  const values3 = allocate(maxSize);
  let head5 = 0;
  let count = 0;
  let sum2 = 0;
  let min3 = 0;
  let max5 = 0;
  const snapshot = (now) => {
    const builder = [];
    let i = 0;
    while (i !== maxSize - 1) {
      const item = values3[i];
      if (item != null) {
        const [t, v] = item;
        const age = millis(now - t);
        if (greaterThanOrEqualTo2(age, zero) && lessThanOrEqualTo2(age, maxAge)) {
          builder.push(v);
        }
      }
      i = i + 1;
    }
    return calculateQuantiles(error2, sortedQuantiles, sort(builder, Order));
  };
  const observe = (value2, timestamp) => {
    if (maxSize > 0) {
      head5 = head5 + 1;
      const target = head5 % maxSize;
      values3[target] = [timestamp, value2];
    }
    min3 = count === 0 ? value2 : Math.min(min3, value2);
    max5 = count === 0 ? value2 : Math.max(max5, value2);
    count = count + 1;
    sum2 = sum2 + value2;
  };
  return make29({
    get: () => summary2({
      error: error2,
      quantiles: snapshot(Date.now()),
      count,
      min: min3,
      max: max5,
      sum: sum2
    }),
    update: ([value2, timestamp]) => observe(value2, timestamp),
    modify: ([value2, timestamp]) => observe(value2, timestamp)
  });
};
var calculateQuantiles = (error2, sortedQuantiles, sortedSamples) => {
  const sampleCount = sortedSamples.length;
  if (!isNonEmptyReadonlyArray(sortedQuantiles)) {
    return empty();
  }
  const head5 = sortedQuantiles[0];
  const tail = sortedQuantiles.slice(1);
  const resolvedHead = resolveQuantile(error2, sampleCount, none2(), 0, head5, sortedSamples);
  const resolved = of(resolvedHead);
  tail.forEach((quantile) => {
    resolved.push(resolveQuantile(error2, sampleCount, resolvedHead.value, resolvedHead.consumed, quantile, resolvedHead.rest));
  });
  return map2(resolved, (rq) => [rq.quantile, rq.value]);
};
var resolveQuantile = (error2, sampleCount, current, consumed, quantile, rest) => {
  let error_1 = error2;
  let sampleCount_1 = sampleCount;
  let current_1 = current;
  let consumed_1 = consumed;
  let quantile_1 = quantile;
  let rest_1 = rest;
  let error_2 = error2;
  let sampleCount_2 = sampleCount;
  let current_2 = current;
  let consumed_2 = consumed;
  let quantile_2 = quantile;
  let rest_2 = rest;
  while (1) {
    if (!isNonEmptyReadonlyArray(rest_1)) {
      return {
        quantile: quantile_1,
        value: none2(),
        consumed: consumed_1,
        rest: []
      };
    }
    if (quantile_1 === 1) {
      return {
        quantile: quantile_1,
        value: some2(lastNonEmpty(rest_1)),
        consumed: consumed_1 + rest_1.length,
        rest: []
      };
    }
    const headValue = headNonEmpty(rest_1);
    const sameHead = span(rest_1, (n) => n === headValue);
    const desired = quantile_1 * sampleCount_1;
    const allowedError = error_1 / 2 * desired;
    const candConsumed = consumed_1 + sameHead[0].length;
    const candError = Math.abs(candConsumed - desired);
    if (candConsumed < desired - allowedError) {
      error_2 = error_1;
      sampleCount_2 = sampleCount_1;
      current_2 = head(rest_1);
      consumed_2 = candConsumed;
      quantile_2 = quantile_1;
      rest_2 = sameHead[1];
      error_1 = error_2;
      sampleCount_1 = sampleCount_2;
      current_1 = current_2;
      consumed_1 = consumed_2;
      quantile_1 = quantile_2;
      rest_1 = rest_2;
      continue;
    }
    if (candConsumed > desired + allowedError) {
      const valueToReturn = isNone2(current_1) ? some2(headValue) : current_1;
      return {
        quantile: quantile_1,
        value: valueToReturn,
        consumed: consumed_1,
        rest: rest_1
      };
    }
    switch (current_1._tag) {
      case "None": {
        error_2 = error_1;
        sampleCount_2 = sampleCount_1;
        current_2 = head(rest_1);
        consumed_2 = candConsumed;
        quantile_2 = quantile_1;
        rest_2 = sameHead[1];
        error_1 = error_2;
        sampleCount_1 = sampleCount_2;
        current_1 = current_2;
        consumed_1 = consumed_2;
        quantile_1 = quantile_2;
        rest_1 = rest_2;
        continue;
      }
      case "Some": {
        const prevError = Math.abs(desired - current_1.value);
        if (candError < prevError) {
          error_2 = error_1;
          sampleCount_2 = sampleCount_1;
          current_2 = head(rest_1);
          consumed_2 = candConsumed;
          quantile_2 = quantile_1;
          rest_2 = sameHead[1];
          error_1 = error_2;
          sampleCount_1 = sampleCount_2;
          current_1 = current_2;
          consumed_1 = consumed_2;
          quantile_1 = quantile_2;
          rest_1 = rest_2;
          continue;
        }
        return {
          quantile: quantile_1,
          value: some2(current_1.value),
          consumed: consumed_1,
          rest: rest_1
        };
      }
    }
  }
  throw new Error("BUG: MetricHook.resolveQuantiles - please report an issue at https://github.com/Effect-TS/effect/issues");
};

// node_modules/effect/dist/esm/internal/metric/pair.js
var MetricPairSymbolKey = "effect/MetricPair";
var MetricPairTypeId = /* @__PURE__ */ Symbol.for(MetricPairSymbolKey);
var metricPairVariance = {
  /* c8 ignore next */
  _Type: (_) => _
};
var unsafeMake7 = (metricKey, metricState) => {
  return {
    [MetricPairTypeId]: metricPairVariance,
    metricKey,
    metricState,
    pipe() {
      return pipeArguments(this, arguments);
    }
  };
};

// node_modules/effect/dist/esm/internal/metric/registry.js
var MetricRegistrySymbolKey = "effect/MetricRegistry";
var MetricRegistryTypeId = /* @__PURE__ */ Symbol.for(MetricRegistrySymbolKey);
var MetricRegistryImpl = class {
  [MetricRegistryTypeId] = MetricRegistryTypeId;
  map = /* @__PURE__ */ empty17();
  snapshot() {
    const result = [];
    for (const [key, hook] of this.map) {
      result.push(unsafeMake7(key, hook.get()));
    }
    return result;
  }
  get(key) {
    const hook = pipe(this.map, get8(key), getOrUndefined);
    if (hook == null) {
      if (isCounterKey(key.keyType)) {
        return this.getCounter(key);
      }
      if (isGaugeKey(key.keyType)) {
        return this.getGauge(key);
      }
      if (isFrequencyKey(key.keyType)) {
        return this.getFrequency(key);
      }
      if (isHistogramKey(key.keyType)) {
        return this.getHistogram(key);
      }
      if (isSummaryKey(key.keyType)) {
        return this.getSummary(key);
      }
      throw new Error("BUG: MetricRegistry.get - unknown MetricKeyType - please report an issue at https://github.com/Effect-TS/effect/issues");
    } else {
      return hook;
    }
  }
  getCounter(key) {
    let value2 = pipe(this.map, get8(key), getOrUndefined);
    if (value2 == null) {
      const counter6 = counter4(key);
      if (!pipe(this.map, has4(key))) {
        pipe(this.map, set4(key, counter6));
      }
      value2 = counter6;
    }
    return value2;
  }
  getFrequency(key) {
    let value2 = pipe(this.map, get8(key), getOrUndefined);
    if (value2 == null) {
      const frequency5 = frequency3(key);
      if (!pipe(this.map, has4(key))) {
        pipe(this.map, set4(key, frequency5));
      }
      value2 = frequency5;
    }
    return value2;
  }
  getGauge(key) {
    let value2 = pipe(this.map, get8(key), getOrUndefined);
    if (value2 == null) {
      const gauge5 = gauge3(key, key.keyType.bigint ? BigInt(0) : 0);
      if (!pipe(this.map, has4(key))) {
        pipe(this.map, set4(key, gauge5));
      }
      value2 = gauge5;
    }
    return value2;
  }
  getHistogram(key) {
    let value2 = pipe(this.map, get8(key), getOrUndefined);
    if (value2 == null) {
      const histogram6 = histogram4(key);
      if (!pipe(this.map, has4(key))) {
        pipe(this.map, set4(key, histogram6));
      }
      value2 = histogram6;
    }
    return value2;
  }
  getSummary(key) {
    let value2 = pipe(this.map, get8(key), getOrUndefined);
    if (value2 == null) {
      const summary5 = summary3(key);
      if (!pipe(this.map, has4(key))) {
        pipe(this.map, set4(key, summary5));
      }
      value2 = summary5;
    }
    return value2;
  }
};
var make30 = () => {
  return new MetricRegistryImpl();
};

// node_modules/effect/dist/esm/internal/metric.js
var MetricSymbolKey = "effect/Metric";
var MetricTypeId = /* @__PURE__ */ Symbol.for(MetricSymbolKey);
var metricVariance = {
  /* c8 ignore next */
  _Type: (_) => _,
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _Out: (_) => _
};
var globalMetricRegistry = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Metric/globalMetricRegistry"), () => make30());
var make31 = function(keyType, unsafeUpdate, unsafeValue, unsafeModify) {
  const metric = Object.assign((effect) => tap(effect, (a) => update4(metric, a)), {
    [MetricTypeId]: metricVariance,
    keyType,
    unsafeUpdate,
    unsafeValue,
    unsafeModify,
    register() {
      this.unsafeValue([]);
      return this;
    },
    pipe() {
      return pipeArguments(this, arguments);
    }
  });
  return metric;
};
var counter5 = (name, options) => fromMetricKey(counter2(name, options));
var fromMetricKey = (key) => {
  let untaggedHook;
  const hookCache = /* @__PURE__ */ new WeakMap();
  const hook = (extraTags) => {
    if (extraTags.length === 0) {
      if (untaggedHook !== void 0) {
        return untaggedHook;
      }
      untaggedHook = globalMetricRegistry.get(key);
      return untaggedHook;
    }
    let hook2 = hookCache.get(extraTags);
    if (hook2 !== void 0) {
      return hook2;
    }
    hook2 = globalMetricRegistry.get(taggedWithLabels(key, extraTags));
    hookCache.set(extraTags, hook2);
    return hook2;
  };
  return make31(key.keyType, (input, extraTags) => hook(extraTags).update(input), (extraTags) => hook(extraTags).get(), (input, extraTags) => hook(extraTags).modify(input));
};
var histogram5 = (name, boundaries, description) => fromMetricKey(histogram2(name, boundaries, description));
var tagged = /* @__PURE__ */ dual(3, (self, key, value2) => taggedWithLabels2(self, [make28(key, value2)]));
var taggedWithLabels2 = /* @__PURE__ */ dual(2, (self, extraTags) => {
  return make31(self.keyType, (input, extraTags1) => self.unsafeUpdate(input, union(extraTags, extraTags1)), (extraTags1) => self.unsafeValue(union(extraTags, extraTags1)), (input, extraTags1) => self.unsafeModify(input, union(extraTags, extraTags1)));
});
var update4 = /* @__PURE__ */ dual(2, (self, input) => fiberRefGetWith(currentMetricLabels, (tags) => sync(() => self.unsafeUpdate(input, tags))));

// node_modules/effect/dist/esm/internal/request.js
var RequestSymbolKey = "effect/Request";
var RequestTypeId = /* @__PURE__ */ Symbol.for(RequestSymbolKey);
var requestVariance = {
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _A: (_) => _
};
var RequestPrototype = {
  ...StructuralPrototype,
  [RequestTypeId]: requestVariance
};
var isRequest = (u) => hasProperty(u, RequestTypeId);
var complete = /* @__PURE__ */ dual(2, (self, result) => fiberRefGetWith(currentRequestMap, (map12) => sync(() => {
  if (map12.has(self)) {
    const entry = map12.get(self);
    if (!entry.state.completed) {
      entry.state.completed = true;
      deferredUnsafeDone(entry.result, result);
    }
  }
})));
var Listeners = class {
  count = 0;
  observers = /* @__PURE__ */ new Set();
  interrupted = false;
  addObserver(f) {
    this.observers.add(f);
  }
  removeObserver(f) {
    this.observers.delete(f);
  }
  increment() {
    this.count++;
    this.observers.forEach((f) => f(this.count));
  }
  decrement() {
    this.count--;
    this.observers.forEach((f) => f(this.count));
  }
};

// node_modules/effect/dist/esm/internal/redBlackTree/iterator.js
var Direction = {
  Forward: 0,
  Backward: 1 << 0
};
var RedBlackTreeIterator = class _RedBlackTreeIterator {
  self;
  stack;
  direction;
  count = 0;
  constructor(self, stack, direction) {
    this.self = self;
    this.stack = stack;
    this.direction = direction;
  }
  /**
   * Clones the iterator
   */
  clone() {
    return new _RedBlackTreeIterator(this.self, this.stack.slice(), this.direction);
  }
  /**
   * Reverse the traversal direction
   */
  reversed() {
    return new _RedBlackTreeIterator(this.self, this.stack.slice(), this.direction === Direction.Forward ? Direction.Backward : Direction.Forward);
  }
  /**
   * Iterator next
   */
  next() {
    const entry = this.entry;
    this.count++;
    if (this.direction === Direction.Forward) {
      this.moveNext();
    } else {
      this.movePrev();
    }
    switch (entry._tag) {
      case "None": {
        return {
          done: true,
          value: this.count
        };
      }
      case "Some": {
        return {
          done: false,
          value: entry.value
        };
      }
    }
  }
  /**
   * Returns the key
   */
  get key() {
    if (this.stack.length > 0) {
      return some2(this.stack[this.stack.length - 1].key);
    }
    return none2();
  }
  /**
   * Returns the value
   */
  get value() {
    if (this.stack.length > 0) {
      return some2(this.stack[this.stack.length - 1].value);
    }
    return none2();
  }
  /**
   * Returns the key
   */
  get entry() {
    return map(last(this.stack), (node) => [node.key, node.value]);
  }
  /**
   * Returns the position of this iterator in the sorted list
   */
  get index() {
    let idx = 0;
    const stack = this.stack;
    if (stack.length === 0) {
      const r2 = this.self._root;
      if (r2 != null) {
        return r2.count;
      }
      return 0;
    } else if (stack[stack.length - 1].left != null) {
      idx = stack[stack.length - 1].left.count;
    }
    for (let s = stack.length - 2; s >= 0; --s) {
      if (stack[s + 1] === stack[s].right) {
        ++idx;
        if (stack[s].left != null) {
          idx += stack[s].left.count;
        }
      }
    }
    return idx;
  }
  /**
   * Advances iterator to next element in list
   */
  moveNext() {
    const stack = this.stack;
    if (stack.length === 0) {
      return;
    }
    let n = stack[stack.length - 1];
    if (n.right != null) {
      n = n.right;
      while (n != null) {
        stack.push(n);
        n = n.left;
      }
    } else {
      stack.pop();
      while (stack.length > 0 && stack[stack.length - 1].right === n) {
        n = stack[stack.length - 1];
        stack.pop();
      }
    }
  }
  /**
   * Checks if there is a next element
   */
  get hasNext() {
    const stack = this.stack;
    if (stack.length === 0) {
      return false;
    }
    if (stack[stack.length - 1].right != null) {
      return true;
    }
    for (let s = stack.length - 1; s > 0; --s) {
      if (stack[s - 1].left === stack[s]) {
        return true;
      }
    }
    return false;
  }
  /**
   * Advances iterator to previous element in list
   */
  movePrev() {
    const stack = this.stack;
    if (stack.length === 0) {
      return;
    }
    let n = stack[stack.length - 1];
    if (n != null && n.left != null) {
      n = n.left;
      while (n != null) {
        stack.push(n);
        n = n.right;
      }
    } else {
      stack.pop();
      while (stack.length > 0 && stack[stack.length - 1].left === n) {
        n = stack[stack.length - 1];
        stack.pop();
      }
    }
  }
  /**
   * Checks if there is a previous element
   */
  get hasPrev() {
    const stack = this.stack;
    if (stack.length === 0) {
      return false;
    }
    if (stack[stack.length - 1].left != null) {
      return true;
    }
    for (let s = stack.length - 1; s > 0; --s) {
      if (stack[s - 1].right === stack[s]) {
        return true;
      }
    }
    return false;
  }
};

// node_modules/effect/dist/esm/internal/redBlackTree/node.js
var Color = {
  Red: 0,
  Black: 1 << 0
};
var clone = ({
  color,
  count,
  key,
  left: left3,
  right: right3,
  value: value2
}) => ({
  color,
  key,
  value: value2,
  left: left3,
  right: right3,
  count
});
function swap2(n, v) {
  n.key = v.key;
  n.value = v.value;
  n.left = v.left;
  n.right = v.right;
  n.color = v.color;
  n.count = v.count;
}
var repaint = ({
  count,
  key,
  left: left3,
  right: right3,
  value: value2
}, color) => ({
  color,
  key,
  value: value2,
  left: left3,
  right: right3,
  count
});
var recount = (node) => {
  node.count = 1 + (node.left?.count ?? 0) + (node.right?.count ?? 0);
};

// node_modules/effect/dist/esm/internal/redBlackTree.js
var RedBlackTreeSymbolKey = "effect/RedBlackTree";
var RedBlackTreeTypeId = /* @__PURE__ */ Symbol.for(RedBlackTreeSymbolKey);
var redBlackTreeVariance = {
  /* c8 ignore next */
  _Key: (_) => _,
  /* c8 ignore next */
  _Value: (_) => _
};
var RedBlackTreeProto = {
  [RedBlackTreeTypeId]: redBlackTreeVariance,
  [symbol]() {
    let hash7 = hash(RedBlackTreeSymbolKey);
    for (const item of this) {
      hash7 ^= pipe(hash(item[0]), combine(hash(item[1])));
    }
    return cached(this, hash7);
  },
  [symbol2](that) {
    if (isRedBlackTree(that)) {
      if ((this._root?.count ?? 0) !== (that._root?.count ?? 0)) {
        return false;
      }
      const entries3 = Array.from(that);
      return Array.from(this).every((itemSelf, i) => {
        const itemThat = entries3[i];
        return equals(itemSelf[0], itemThat[0]) && equals(itemSelf[1], itemThat[1]);
      });
    }
    return false;
  },
  [Symbol.iterator]() {
    const stack = [];
    let n = this._root;
    while (n != null) {
      stack.push(n);
      n = n.left;
    }
    return new RedBlackTreeIterator(this, stack, Direction.Forward);
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "RedBlackTree",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var makeImpl3 = (ord, root) => {
  const tree = Object.create(RedBlackTreeProto);
  tree._ord = ord;
  tree._root = root;
  return tree;
};
var isRedBlackTree = (u) => hasProperty(u, RedBlackTreeTypeId);
var findFirst4 = /* @__PURE__ */ dual(2, (self, key) => {
  const cmp = self._ord;
  let node = self._root;
  while (node !== void 0) {
    const d = cmp(key, node.key);
    if (equals(key, node.key)) {
      return some2(node.value);
    }
    if (d <= 0) {
      node = node.left;
    } else {
      node = node.right;
    }
  }
  return none2();
});
var has5 = /* @__PURE__ */ dual(2, (self, key) => isSome2(findFirst4(self, key)));
var insert = /* @__PURE__ */ dual(3, (self, key, value2) => {
  const cmp = self._ord;
  let n = self._root;
  const n_stack = [];
  const d_stack = [];
  while (n != null) {
    const d = cmp(key, n.key);
    n_stack.push(n);
    d_stack.push(d);
    if (d <= 0) {
      n = n.left;
    } else {
      n = n.right;
    }
  }
  n_stack.push({
    color: Color.Red,
    key,
    value: value2,
    left: void 0,
    right: void 0,
    count: 1
  });
  for (let s = n_stack.length - 2; s >= 0; --s) {
    const n2 = n_stack[s];
    if (d_stack[s] <= 0) {
      n_stack[s] = {
        color: n2.color,
        key: n2.key,
        value: n2.value,
        left: n_stack[s + 1],
        right: n2.right,
        count: n2.count + 1
      };
    } else {
      n_stack[s] = {
        color: n2.color,
        key: n2.key,
        value: n2.value,
        left: n2.left,
        right: n_stack[s + 1],
        count: n2.count + 1
      };
    }
  }
  for (let s = n_stack.length - 1; s > 1; --s) {
    const p = n_stack[s - 1];
    const n3 = n_stack[s];
    if (p.color === Color.Black || n3.color === Color.Black) {
      break;
    }
    const pp = n_stack[s - 2];
    if (pp.left === p) {
      if (p.left === n3) {
        const y = pp.right;
        if (y && y.color === Color.Red) {
          p.color = Color.Black;
          pp.right = repaint(y, Color.Black);
          pp.color = Color.Red;
          s -= 1;
        } else {
          pp.color = Color.Red;
          pp.left = p.right;
          p.color = Color.Black;
          p.right = pp;
          n_stack[s - 2] = p;
          n_stack[s - 1] = n3;
          recount(pp);
          recount(p);
          if (s >= 3) {
            const ppp = n_stack[s - 3];
            if (ppp.left === pp) {
              ppp.left = p;
            } else {
              ppp.right = p;
            }
          }
          break;
        }
      } else {
        const y = pp.right;
        if (y && y.color === Color.Red) {
          p.color = Color.Black;
          pp.right = repaint(y, Color.Black);
          pp.color = Color.Red;
          s -= 1;
        } else {
          p.right = n3.left;
          pp.color = Color.Red;
          pp.left = n3.right;
          n3.color = Color.Black;
          n3.left = p;
          n3.right = pp;
          n_stack[s - 2] = n3;
          n_stack[s - 1] = p;
          recount(pp);
          recount(p);
          recount(n3);
          if (s >= 3) {
            const ppp = n_stack[s - 3];
            if (ppp.left === pp) {
              ppp.left = n3;
            } else {
              ppp.right = n3;
            }
          }
          break;
        }
      }
    } else {
      if (p.right === n3) {
        const y = pp.left;
        if (y && y.color === Color.Red) {
          p.color = Color.Black;
          pp.left = repaint(y, Color.Black);
          pp.color = Color.Red;
          s -= 1;
        } else {
          pp.color = Color.Red;
          pp.right = p.left;
          p.color = Color.Black;
          p.left = pp;
          n_stack[s - 2] = p;
          n_stack[s - 1] = n3;
          recount(pp);
          recount(p);
          if (s >= 3) {
            const ppp = n_stack[s - 3];
            if (ppp.right === pp) {
              ppp.right = p;
            } else {
              ppp.left = p;
            }
          }
          break;
        }
      } else {
        const y = pp.left;
        if (y && y.color === Color.Red) {
          p.color = Color.Black;
          pp.left = repaint(y, Color.Black);
          pp.color = Color.Red;
          s -= 1;
        } else {
          p.left = n3.right;
          pp.color = Color.Red;
          pp.right = n3.left;
          n3.color = Color.Black;
          n3.right = p;
          n3.left = pp;
          n_stack[s - 2] = n3;
          n_stack[s - 1] = p;
          recount(pp);
          recount(p);
          recount(n3);
          if (s >= 3) {
            const ppp = n_stack[s - 3];
            if (ppp.right === pp) {
              ppp.right = n3;
            } else {
              ppp.left = n3;
            }
          }
          break;
        }
      }
    }
  }
  n_stack[0].color = Color.Black;
  return makeImpl3(self._ord, n_stack[0]);
});
var keysForward = (self) => keys3(self, Direction.Forward);
var keys3 = (self, direction) => {
  const begin = self[Symbol.iterator]();
  let count = 0;
  return {
    [Symbol.iterator]: () => keys3(self, direction),
    next: () => {
      count++;
      const entry = begin.key;
      if (direction === Direction.Forward) {
        begin.moveNext();
      } else {
        begin.movePrev();
      }
      switch (entry._tag) {
        case "None": {
          return {
            done: true,
            value: count
          };
        }
        case "Some": {
          return {
            done: false,
            value: entry.value
          };
        }
      }
    }
  };
};
var removeFirst = /* @__PURE__ */ dual(2, (self, key) => {
  if (!has5(self, key)) {
    return self;
  }
  const ord = self._ord;
  const cmp = ord;
  let node = self._root;
  const stack = [];
  while (node !== void 0) {
    const d = cmp(key, node.key);
    stack.push(node);
    if (equals(key, node.key)) {
      node = void 0;
    } else if (d <= 0) {
      node = node.left;
    } else {
      node = node.right;
    }
  }
  if (stack.length === 0) {
    return self;
  }
  const cstack = new Array(stack.length);
  let n = stack[stack.length - 1];
  cstack[cstack.length - 1] = {
    color: n.color,
    key: n.key,
    value: n.value,
    left: n.left,
    right: n.right,
    count: n.count
  };
  for (let i = stack.length - 2; i >= 0; --i) {
    n = stack[i];
    if (n.left === stack[i + 1]) {
      cstack[i] = {
        color: n.color,
        key: n.key,
        value: n.value,
        left: cstack[i + 1],
        right: n.right,
        count: n.count
      };
    } else {
      cstack[i] = {
        color: n.color,
        key: n.key,
        value: n.value,
        left: n.left,
        right: cstack[i + 1],
        count: n.count
      };
    }
  }
  n = cstack[cstack.length - 1];
  if (n.left !== void 0 && n.right !== void 0) {
    const split = cstack.length;
    n = n.left;
    while (n.right != null) {
      cstack.push(n);
      n = n.right;
    }
    const v = cstack[split - 1];
    cstack.push({
      color: n.color,
      key: v.key,
      value: v.value,
      left: n.left,
      right: n.right,
      count: n.count
    });
    cstack[split - 1].key = n.key;
    cstack[split - 1].value = n.value;
    for (let i = cstack.length - 2; i >= split; --i) {
      n = cstack[i];
      cstack[i] = {
        color: n.color,
        key: n.key,
        value: n.value,
        left: n.left,
        right: cstack[i + 1],
        count: n.count
      };
    }
    cstack[split - 1].left = cstack[split];
  }
  n = cstack[cstack.length - 1];
  if (n.color === Color.Red) {
    const p = cstack[cstack.length - 2];
    if (p.left === n) {
      p.left = void 0;
    } else if (p.right === n) {
      p.right = void 0;
    }
    cstack.pop();
    for (let i = 0; i < cstack.length; ++i) {
      cstack[i].count--;
    }
    return makeImpl3(ord, cstack[0]);
  } else {
    if (n.left !== void 0 || n.right !== void 0) {
      if (n.left !== void 0) {
        swap2(n, n.left);
      } else if (n.right !== void 0) {
        swap2(n, n.right);
      }
      n.color = Color.Black;
      for (let i = 0; i < cstack.length - 1; ++i) {
        cstack[i].count--;
      }
      return makeImpl3(ord, cstack[0]);
    } else if (cstack.length === 1) {
      return makeImpl3(ord, void 0);
    } else {
      for (let i = 0; i < cstack.length; ++i) {
        cstack[i].count--;
      }
      const parent = cstack[cstack.length - 2];
      fixDoubleBlack(cstack);
      if (parent.left === n) {
        parent.left = void 0;
      } else {
        parent.right = void 0;
      }
    }
  }
  return makeImpl3(ord, cstack[0]);
});
var fixDoubleBlack = (stack) => {
  let n, p, s, z;
  for (let i = stack.length - 1; i >= 0; --i) {
    n = stack[i];
    if (i === 0) {
      n.color = Color.Black;
      return;
    }
    p = stack[i - 1];
    if (p.left === n) {
      s = p.right;
      if (s !== void 0 && s.right !== void 0 && s.right.color === Color.Red) {
        s = p.right = clone(s);
        z = s.right = clone(s.right);
        p.right = s.left;
        s.left = p;
        s.right = z;
        s.color = p.color;
        n.color = Color.Black;
        p.color = Color.Black;
        z.color = Color.Black;
        recount(p);
        recount(s);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.left === p) {
            pp.left = s;
          } else {
            pp.right = s;
          }
        }
        stack[i - 1] = s;
        return;
      } else if (s !== void 0 && s.left !== void 0 && s.left.color === Color.Red) {
        s = p.right = clone(s);
        z = s.left = clone(s.left);
        p.right = z.left;
        s.left = z.right;
        z.left = p;
        z.right = s;
        z.color = p.color;
        p.color = Color.Black;
        s.color = Color.Black;
        n.color = Color.Black;
        recount(p);
        recount(s);
        recount(z);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.left === p) {
            pp.left = z;
          } else {
            pp.right = z;
          }
        }
        stack[i - 1] = z;
        return;
      }
      if (s !== void 0 && s.color === Color.Black) {
        if (p.color === Color.Red) {
          p.color = Color.Black;
          p.right = repaint(s, Color.Red);
          return;
        } else {
          p.right = repaint(s, Color.Red);
          continue;
        }
      } else if (s !== void 0) {
        s = clone(s);
        p.right = s.left;
        s.left = p;
        s.color = p.color;
        p.color = Color.Red;
        recount(p);
        recount(s);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.left === p) {
            pp.left = s;
          } else {
            pp.right = s;
          }
        }
        stack[i - 1] = s;
        stack[i] = p;
        if (i + 1 < stack.length) {
          stack[i + 1] = n;
        } else {
          stack.push(n);
        }
        i = i + 2;
      }
    } else {
      s = p.left;
      if (s !== void 0 && s.left !== void 0 && s.left.color === Color.Red) {
        s = p.left = clone(s);
        z = s.left = clone(s.left);
        p.left = s.right;
        s.right = p;
        s.left = z;
        s.color = p.color;
        n.color = Color.Black;
        p.color = Color.Black;
        z.color = Color.Black;
        recount(p);
        recount(s);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.right === p) {
            pp.right = s;
          } else {
            pp.left = s;
          }
        }
        stack[i - 1] = s;
        return;
      } else if (s !== void 0 && s.right !== void 0 && s.right.color === Color.Red) {
        s = p.left = clone(s);
        z = s.right = clone(s.right);
        p.left = z.right;
        s.right = z.left;
        z.right = p;
        z.left = s;
        z.color = p.color;
        p.color = Color.Black;
        s.color = Color.Black;
        n.color = Color.Black;
        recount(p);
        recount(s);
        recount(z);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.right === p) {
            pp.right = z;
          } else {
            pp.left = z;
          }
        }
        stack[i - 1] = z;
        return;
      }
      if (s !== void 0 && s.color === Color.Black) {
        if (p.color === Color.Red) {
          p.color = Color.Black;
          p.left = repaint(s, Color.Red);
          return;
        } else {
          p.left = repaint(s, Color.Red);
          continue;
        }
      } else if (s !== void 0) {
        s = clone(s);
        p.left = s.right;
        s.right = p;
        s.color = p.color;
        p.color = Color.Red;
        recount(p);
        recount(s);
        if (i > 1) {
          const pp = stack[i - 2];
          if (pp.right === p) {
            pp.right = s;
          } else {
            pp.left = s;
          }
        }
        stack[i - 1] = s;
        stack[i] = p;
        if (i + 1 < stack.length) {
          stack[i + 1] = n;
        } else {
          stack.push(n);
        }
        i = i + 2;
      }
    }
  }
};

// node_modules/effect/dist/esm/RedBlackTree.js
var has6 = has5;
var insert2 = insert;
var keys4 = keysForward;
var removeFirst2 = removeFirst;

// node_modules/effect/dist/esm/SortedSet.js
var TypeId14 = /* @__PURE__ */ Symbol.for("effect/SortedSet");
var SortedSetProto = {
  [TypeId14]: {
    _A: (_) => _
  },
  [symbol]() {
    return pipe(hash(this.keyTree), combine(hash(TypeId14)), cached(this));
  },
  [symbol2](that) {
    return isSortedSet(that) && equals(this.keyTree, that.keyTree);
  },
  [Symbol.iterator]() {
    return keys4(this.keyTree);
  },
  toString() {
    return format(this.toJSON());
  },
  toJSON() {
    return {
      _id: "SortedSet",
      values: Array.from(this).map(toJSON)
    };
  },
  [NodeInspectSymbol]() {
    return this.toJSON();
  },
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var fromTree = (keyTree) => {
  const a = Object.create(SortedSetProto);
  a.keyTree = keyTree;
  return a;
};
var isSortedSet = (u) => hasProperty(u, TypeId14);
var add5 = /* @__PURE__ */ dual(2, (self, value2) => has6(self.keyTree, value2) ? self : fromTree(insert2(self.keyTree, value2, true)));
var remove7 = /* @__PURE__ */ dual(2, (self, value2) => fromTree(removeFirst2(self.keyTree, value2)));

// node_modules/effect/dist/esm/internal/supervisor.js
var SupervisorSymbolKey = "effect/Supervisor";
var SupervisorTypeId = /* @__PURE__ */ Symbol.for(SupervisorSymbolKey);
var supervisorVariance = {
  /* c8 ignore next */
  _T: (_) => _
};
var ProxySupervisor = class _ProxySupervisor {
  underlying;
  value0;
  [SupervisorTypeId] = supervisorVariance;
  constructor(underlying, value0) {
    this.underlying = underlying;
    this.value0 = value0;
  }
  get value() {
    return this.value0;
  }
  onStart(context4, effect, parent, fiber) {
    this.underlying.onStart(context4, effect, parent, fiber);
  }
  onEnd(value2, fiber) {
    this.underlying.onEnd(value2, fiber);
  }
  onEffect(fiber, effect) {
    this.underlying.onEffect(fiber, effect);
  }
  onSuspend(fiber) {
    this.underlying.onSuspend(fiber);
  }
  onResume(fiber) {
    this.underlying.onResume(fiber);
  }
  map(f) {
    return new _ProxySupervisor(this, pipe(this.value, map8(f)));
  }
  zip(right3) {
    return new Zip(this, right3);
  }
};
var Zip = class _Zip {
  left;
  right;
  _tag = "Zip";
  [SupervisorTypeId] = supervisorVariance;
  constructor(left3, right3) {
    this.left = left3;
    this.right = right3;
  }
  get value() {
    return zip2(this.left.value, this.right.value);
  }
  onStart(context4, effect, parent, fiber) {
    this.left.onStart(context4, effect, parent, fiber);
    this.right.onStart(context4, effect, parent, fiber);
  }
  onEnd(value2, fiber) {
    this.left.onEnd(value2, fiber);
    this.right.onEnd(value2, fiber);
  }
  onEffect(fiber, effect) {
    this.left.onEffect(fiber, effect);
    this.right.onEffect(fiber, effect);
  }
  onSuspend(fiber) {
    this.left.onSuspend(fiber);
    this.right.onSuspend(fiber);
  }
  onResume(fiber) {
    this.left.onResume(fiber);
    this.right.onResume(fiber);
  }
  map(f) {
    return new ProxySupervisor(this, pipe(this.value, map8(f)));
  }
  zip(right3) {
    return new _Zip(this, right3);
  }
};
var isZip = (self) => hasProperty(self, SupervisorTypeId) && isTagged(self, "Zip");
var Track = class {
  [SupervisorTypeId] = supervisorVariance;
  fibers = /* @__PURE__ */ new Set();
  get value() {
    return sync(() => Array.from(this.fibers));
  }
  onStart(_context, _effect, _parent, fiber) {
    this.fibers.add(fiber);
  }
  onEnd(_value, fiber) {
    this.fibers.delete(fiber);
  }
  onEffect(_fiber, _effect) {
  }
  onSuspend(_fiber) {
  }
  onResume(_fiber) {
  }
  map(f) {
    return new ProxySupervisor(this, pipe(this.value, map8(f)));
  }
  zip(right3) {
    return new Zip(this, right3);
  }
  onRun(execution, _fiber) {
    return execution();
  }
};
var Const = class {
  effect;
  [SupervisorTypeId] = supervisorVariance;
  constructor(effect) {
    this.effect = effect;
  }
  get value() {
    return this.effect;
  }
  onStart(_context, _effect, _parent, _fiber) {
  }
  onEnd(_value, _fiber) {
  }
  onEffect(_fiber, _effect) {
  }
  onSuspend(_fiber) {
  }
  onResume(_fiber) {
  }
  map(f) {
    return new ProxySupervisor(this, pipe(this.value, map8(f)));
  }
  zip(right3) {
    return new Zip(this, right3);
  }
  onRun(execution, _fiber) {
    return execution();
  }
};
var FibersIn = class {
  ref;
  [SupervisorTypeId] = supervisorVariance;
  constructor(ref) {
    this.ref = ref;
  }
  get value() {
    return sync(() => get6(this.ref));
  }
  onStart(_context, _effect, _parent, fiber) {
    pipe(this.ref, set2(pipe(get6(this.ref), add5(fiber))));
  }
  onEnd(_value, fiber) {
    pipe(this.ref, set2(pipe(get6(this.ref), remove7(fiber))));
  }
  onEffect(_fiber, _effect) {
  }
  onSuspend(_fiber) {
  }
  onResume(_fiber) {
  }
  map(f) {
    return new ProxySupervisor(this, pipe(this.value, map8(f)));
  }
  zip(right3) {
    return new Zip(this, right3);
  }
  onRun(execution, _fiber) {
    return execution();
  }
};
var unsafeTrack = () => {
  return new Track();
};
var track = /* @__PURE__ */ sync(unsafeTrack);
var fromEffect = (effect) => {
  return new Const(effect);
};
var none8 = /* @__PURE__ */ globalValue("effect/Supervisor/none", () => fromEffect(void_));

// node_modules/effect/dist/esm/Differ.js
var make33 = make14;

// node_modules/effect/dist/esm/internal/supervisor/patch.js
var OP_EMPTY3 = "Empty";
var OP_ADD_SUPERVISOR = "AddSupervisor";
var OP_REMOVE_SUPERVISOR = "RemoveSupervisor";
var OP_AND_THEN2 = "AndThen";
var empty25 = {
  _tag: OP_EMPTY3
};
var combine8 = (self, that) => {
  return {
    _tag: OP_AND_THEN2,
    first: self,
    second: that
  };
};
var patch8 = (self, supervisor) => {
  return patchLoop(supervisor, of2(self));
};
var patchLoop = (_supervisor, _patches) => {
  let supervisor = _supervisor;
  let patches = _patches;
  while (isNonEmpty(patches)) {
    const head5 = headNonEmpty2(patches);
    switch (head5._tag) {
      case OP_EMPTY3: {
        patches = tailNonEmpty2(patches);
        break;
      }
      case OP_ADD_SUPERVISOR: {
        supervisor = supervisor.zip(head5.supervisor);
        patches = tailNonEmpty2(patches);
        break;
      }
      case OP_REMOVE_SUPERVISOR: {
        supervisor = removeSupervisor(supervisor, head5.supervisor);
        patches = tailNonEmpty2(patches);
        break;
      }
      case OP_AND_THEN2: {
        patches = prepend2(head5.first)(prepend2(head5.second)(tailNonEmpty2(patches)));
        break;
      }
    }
  }
  return supervisor;
};
var removeSupervisor = (self, that) => {
  if (equals(self, that)) {
    return none8;
  } else {
    if (isZip(self)) {
      return removeSupervisor(self.left, that).zip(removeSupervisor(self.right, that));
    } else {
      return self;
    }
  }
};
var toSet2 = (self) => {
  if (equals(self, none8)) {
    return empty7();
  } else {
    if (isZip(self)) {
      return pipe(toSet2(self.left), union3(toSet2(self.right)));
    } else {
      return make10(self);
    }
  }
};
var diff7 = (oldValue, newValue) => {
  if (equals(oldValue, newValue)) {
    return empty25;
  }
  const oldSupervisors = toSet2(oldValue);
  const newSupervisors = toSet2(newValue);
  const added2 = pipe(newSupervisors, difference3(oldSupervisors), reduce4(empty25, (patch9, supervisor) => combine8(patch9, {
    _tag: OP_ADD_SUPERVISOR,
    supervisor
  })));
  const removed = pipe(oldSupervisors, difference3(newSupervisors), reduce4(empty25, (patch9, supervisor) => combine8(patch9, {
    _tag: OP_REMOVE_SUPERVISOR,
    supervisor
  })));
  return combine8(added2, removed);
};
var differ2 = /* @__PURE__ */ make33({
  empty: empty25,
  patch: patch8,
  combine: combine8,
  diff: diff7
});

// node_modules/effect/dist/esm/internal/fiberRuntime.js
var fiberStarted = /* @__PURE__ */ counter5("effect_fiber_started", {
  incremental: true
});
var fiberActive = /* @__PURE__ */ counter5("effect_fiber_active");
var fiberSuccesses = /* @__PURE__ */ counter5("effect_fiber_successes", {
  incremental: true
});
var fiberFailures = /* @__PURE__ */ counter5("effect_fiber_failures", {
  incremental: true
});
var fiberLifetimes = /* @__PURE__ */ tagged(/* @__PURE__ */ histogram5("effect_fiber_lifetimes", /* @__PURE__ */ exponential({
  start: 0.5,
  factor: 2,
  count: 35
})), "time_unit", "milliseconds");
var EvaluationSignalContinue = "Continue";
var EvaluationSignalDone = "Done";
var EvaluationSignalYieldNow = "Yield";
var runtimeFiberVariance = {
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _A: (_) => _
};
var absurd = (_) => {
  throw new Error(`BUG: FiberRuntime - ${toStringUnknown(_)} - please report an issue at https://github.com/Effect-TS/effect/issues`);
};
var YieldedOp = /* @__PURE__ */ Symbol.for("effect/internal/fiberRuntime/YieldedOp");
var yieldedOpChannel = /* @__PURE__ */ globalValue("effect/internal/fiberRuntime/yieldedOpChannel", () => ({
  currentOp: null
}));
var contOpSuccess = {
  [OP_ON_SUCCESS]: (_, cont, value2) => {
    return internalCall(() => cont.effect_instruction_i1(value2));
  },
  ["OnStep"]: (_, _cont, value2) => {
    return exitSucceed(exitSucceed(value2));
  },
  [OP_ON_SUCCESS_AND_FAILURE]: (_, cont, value2) => {
    return internalCall(() => cont.effect_instruction_i2(value2));
  },
  [OP_REVERT_FLAGS]: (self, cont, value2) => {
    self.patchRuntimeFlags(self.currentRuntimeFlags, cont.patch);
    if (interruptible(self.currentRuntimeFlags) && self.isInterrupted()) {
      return exitFailCause(self.getInterruptedCause());
    } else {
      return exitSucceed(value2);
    }
  },
  [OP_WHILE]: (self, cont, value2) => {
    internalCall(() => cont.effect_instruction_i2(value2));
    if (internalCall(() => cont.effect_instruction_i0())) {
      self.pushStack(cont);
      return internalCall(() => cont.effect_instruction_i1());
    } else {
      return void_;
    }
  },
  [OP_ITERATOR]: (self, cont, value2) => {
    while (true) {
      const state = internalCall(() => cont.effect_instruction_i0.next(value2));
      if (state.done) {
        return exitSucceed(state.value);
      }
      const primitive = yieldWrapGet(state.value);
      if (!exitIsExit(primitive)) {
        self.pushStack(cont);
        return primitive;
      } else if (primitive._tag === "Failure") {
        return primitive;
      }
      value2 = primitive.value;
    }
  }
};
var drainQueueWhileRunningTable = {
  [OP_INTERRUPT_SIGNAL]: (self, runtimeFlags2, cur, message) => {
    self.processNewInterruptSignal(message.cause);
    return interruptible(runtimeFlags2) ? exitFailCause(message.cause) : cur;
  },
  [OP_RESUME]: (_self, _runtimeFlags, _cur, _message) => {
    throw new Error("It is illegal to have multiple concurrent run loops in a single fiber");
  },
  [OP_STATEFUL]: (self, runtimeFlags2, cur, message) => {
    message.onFiber(self, running2(runtimeFlags2));
    return cur;
  },
  [OP_YIELD_NOW]: (_self, _runtimeFlags, cur, _message) => {
    return flatMap7(yieldNow(), () => cur);
  }
};
var runBlockedRequests = (self) => forEachSequentialDiscard(flatten2(self), (requestsByRequestResolver) => forEachConcurrentDiscard(sequentialCollectionToChunk(requestsByRequestResolver), ([dataSource, sequential4]) => {
  const map12 = /* @__PURE__ */ new Map();
  const arr = [];
  for (const block of sequential4) {
    arr.push(toReadonlyArray(block));
    for (const entry of block) {
      map12.set(entry.request, entry);
    }
  }
  const flat = arr.flat();
  return fiberRefLocally(invokeWithInterrupt(dataSource.runAll(arr), flat, () => flat.forEach((entry) => {
    entry.listeners.interrupted = true;
  })), currentRequestMap, map12);
}, false, false));
var _version = /* @__PURE__ */ getCurrentVersion();
var FiberRuntime = class extends Class2 {
  [FiberTypeId] = fiberVariance2;
  [RuntimeFiberTypeId] = runtimeFiberVariance;
  _fiberRefs;
  _fiberId;
  _queue = /* @__PURE__ */ new Array();
  _children = null;
  _observers = /* @__PURE__ */ new Array();
  _running = false;
  _stack = [];
  _asyncInterruptor = null;
  _asyncBlockingOn = null;
  _exitValue = null;
  _steps = [];
  _isYielding = false;
  currentRuntimeFlags;
  currentOpCount = 0;
  currentSupervisor;
  currentScheduler;
  currentTracer;
  currentSpan;
  currentContext;
  currentDefaultServices;
  constructor(fiberId3, fiberRefs0, runtimeFlags0) {
    super();
    this.currentRuntimeFlags = runtimeFlags0;
    this._fiberId = fiberId3;
    this._fiberRefs = fiberRefs0;
    if (runtimeMetrics(runtimeFlags0)) {
      const tags = this.getFiberRef(currentMetricLabels);
      fiberStarted.unsafeUpdate(1, tags);
      fiberActive.unsafeUpdate(1, tags);
    }
    this.refreshRefCache();
  }
  commit() {
    return join2(this);
  }
  /**
   * The identity of the fiber.
   */
  id() {
    return this._fiberId;
  }
  /**
   * Begins execution of the effect associated with this fiber on in the
   * background. This can be called to "kick off" execution of a fiber after
   * it has been created.
   */
  resume(effect) {
    this.tell(resume(effect));
  }
  /**
   * The status of the fiber.
   */
  get status() {
    return this.ask((_, status) => status);
  }
  /**
   * Gets the fiber runtime flags.
   */
  get runtimeFlags() {
    return this.ask((state, status) => {
      if (isDone2(status)) {
        return state.currentRuntimeFlags;
      }
      return status.runtimeFlags;
    });
  }
  /**
   * Returns the current `FiberScope` for the fiber.
   */
  scope() {
    return unsafeMake6(this);
  }
  /**
   * Retrieves the immediate children of the fiber.
   */
  get children() {
    return this.ask((fiber) => Array.from(fiber.getChildren()));
  }
  /**
   * Gets the fiber's set of children.
   */
  getChildren() {
    if (this._children === null) {
      this._children = /* @__PURE__ */ new Set();
    }
    return this._children;
  }
  /**
   * Retrieves the interrupted cause of the fiber, which will be `Cause.empty`
   * if the fiber has not been interrupted.
   *
   * **NOTE**: This method is safe to invoke on any fiber, but if not invoked
   * on this fiber, then values derived from the fiber's state (including the
   * log annotations and log level) may not be up-to-date.
   */
  getInterruptedCause() {
    return this.getFiberRef(currentInterruptedCause);
  }
  /**
   * Retrieves the whole set of fiber refs.
   */
  fiberRefs() {
    return this.ask((fiber) => fiber.getFiberRefs());
  }
  /**
   * Returns an effect that will contain information computed from the fiber
   * state and status while running on the fiber.
   *
   * This allows the outside world to interact safely with mutable fiber state
   * without locks or immutable data.
   */
  ask(f) {
    return suspend(() => {
      const deferred = deferredUnsafeMake(this._fiberId);
      this.tell(stateful((fiber, status) => {
        deferredUnsafeDone(deferred, sync(() => f(fiber, status)));
      }));
      return deferredAwait(deferred);
    });
  }
  /**
   * Adds a message to be processed by the fiber on the fiber.
   */
  tell(message) {
    this._queue.push(message);
    if (!this._running) {
      this._running = true;
      this.drainQueueLaterOnExecutor();
    }
  }
  get await() {
    return async_((resume2) => {
      const cb = (exit4) => resume2(succeed(exit4));
      if (this._exitValue !== null) {
        cb(this._exitValue);
        return;
      }
      this.tell(stateful((fiber, _) => {
        if (fiber._exitValue !== null) {
          cb(this._exitValue);
        } else {
          fiber.addObserver(cb);
        }
      }));
      return sync(() => this.tell(stateful((fiber, _) => {
        fiber.removeObserver(cb);
      })));
    }, this.id());
  }
  get inheritAll() {
    return withFiberRuntime((parentFiber, parentStatus) => {
      const parentFiberId = parentFiber.id();
      const parentFiberRefs = parentFiber.getFiberRefs();
      const parentRuntimeFlags = parentStatus.runtimeFlags;
      const childFiberRefs = this.getFiberRefs();
      const updatedFiberRefs = joinAs(parentFiberRefs, parentFiberId, childFiberRefs);
      parentFiber.setFiberRefs(updatedFiberRefs);
      const updatedRuntimeFlags = parentFiber.getFiberRef(currentRuntimeFlags);
      const patch9 = pipe(
        diff4(parentRuntimeFlags, updatedRuntimeFlags),
        // Do not inherit WindDown or Interruption!
        exclude2(Interruption),
        exclude2(WindDown)
      );
      return updateRuntimeFlags(patch9);
    });
  }
  /**
   * Tentatively observes the fiber, but returns immediately if it is not
   * already done.
   */
  get poll() {
    return sync(() => fromNullable(this._exitValue));
  }
  /**
   * Unsafely observes the fiber, but returns immediately if it is not
   * already done.
   */
  unsafePoll() {
    return this._exitValue;
  }
  /**
   * In the background, interrupts the fiber as if interrupted from the specified fiber.
   */
  interruptAsFork(fiberId3) {
    return sync(() => this.tell(interruptSignal(interrupt(fiberId3))));
  }
  /**
   * In the background, interrupts the fiber as if interrupted from the specified fiber.
   */
  unsafeInterruptAsFork(fiberId3) {
    this.tell(interruptSignal(interrupt(fiberId3)));
  }
  /**
   * Adds an observer to the list of observers.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  addObserver(observer) {
    if (this._exitValue !== null) {
      observer(this._exitValue);
    } else {
      this._observers.push(observer);
    }
  }
  /**
   * Removes the specified observer from the list of observers that will be
   * notified when the fiber exits.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  removeObserver(observer) {
    this._observers = this._observers.filter((o) => o !== observer);
  }
  /**
   * Retrieves all fiber refs of the fiber.
   *
   * **NOTE**: This method is safe to invoke on any fiber, but if not invoked
   * on this fiber, then values derived from the fiber's state (including the
   * log annotations and log level) may not be up-to-date.
   */
  getFiberRefs() {
    this.setFiberRef(currentRuntimeFlags, this.currentRuntimeFlags);
    return this._fiberRefs;
  }
  /**
   * Deletes the specified fiber ref.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  unsafeDeleteFiberRef(fiberRef) {
    this._fiberRefs = delete_(this._fiberRefs, fiberRef);
  }
  /**
   * Retrieves the state of the fiber ref, or else its initial value.
   *
   * **NOTE**: This method is safe to invoke on any fiber, but if not invoked
   * on this fiber, then values derived from the fiber's state (including the
   * log annotations and log level) may not be up-to-date.
   */
  getFiberRef(fiberRef) {
    if (this._fiberRefs.locals.has(fiberRef)) {
      return this._fiberRefs.locals.get(fiberRef)[0][1];
    }
    return fiberRef.initial;
  }
  /**
   * Sets the fiber ref to the specified value.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  setFiberRef(fiberRef, value2) {
    this._fiberRefs = updateAs(this._fiberRefs, {
      fiberId: this._fiberId,
      fiberRef,
      value: value2
    });
    this.refreshRefCache();
  }
  refreshRefCache() {
    this.currentDefaultServices = this.getFiberRef(currentServices);
    this.currentTracer = this.currentDefaultServices.unsafeMap.get(tracerTag.key);
    this.currentSupervisor = this.getFiberRef(currentSupervisor);
    this.currentScheduler = this.getFiberRef(currentScheduler);
    this.currentContext = this.getFiberRef(currentContext);
    this.currentSpan = this.currentContext.unsafeMap.get(spanTag.key);
  }
  /**
   * Wholesale replaces all fiber refs of this fiber.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  setFiberRefs(fiberRefs3) {
    this._fiberRefs = fiberRefs3;
    this.refreshRefCache();
  }
  /**
   * Adds a reference to the specified fiber inside the children set.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  addChild(child) {
    this.getChildren().add(child);
  }
  /**
   * Removes a reference to the specified fiber inside the children set.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  removeChild(child) {
    this.getChildren().delete(child);
  }
  /**
   * Transfers all children of this fiber that are currently running to the
   * specified fiber scope.
   *
   * **NOTE**: This method must be invoked by the fiber itself after it has
   * evaluated the effects but prior to exiting.
   */
  transferChildren(scope3) {
    const children = this._children;
    this._children = null;
    if (children !== null && children.size > 0) {
      for (const child of children) {
        if (child._exitValue === null) {
          scope3.add(this.currentRuntimeFlags, child);
        }
      }
    }
  }
  /**
   * On the current thread, executes all messages in the fiber's inbox. This
   * method may return before all work is done, in the event the fiber executes
   * an asynchronous operation.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  drainQueueOnCurrentThread() {
    let recurse = true;
    while (recurse) {
      let evaluationSignal = EvaluationSignalContinue;
      const prev = globalThis[currentFiberURI];
      globalThis[currentFiberURI] = this;
      try {
        while (evaluationSignal === EvaluationSignalContinue) {
          evaluationSignal = this._queue.length === 0 ? EvaluationSignalDone : this.evaluateMessageWhileSuspended(this._queue.splice(0, 1)[0]);
        }
      } finally {
        this._running = false;
        globalThis[currentFiberURI] = prev;
      }
      if (this._queue.length > 0 && !this._running) {
        this._running = true;
        if (evaluationSignal === EvaluationSignalYieldNow) {
          this.drainQueueLaterOnExecutor();
          recurse = false;
        } else {
          recurse = true;
        }
      } else {
        recurse = false;
      }
    }
  }
  /**
   * Schedules the execution of all messages in the fiber's inbox.
   *
   * This method will return immediately after the scheduling
   * operation is completed, but potentially before such messages have been
   * executed.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  drainQueueLaterOnExecutor() {
    this.currentScheduler.scheduleTask(this.run, this.getFiberRef(currentSchedulingPriority), this);
  }
  /**
   * Drains the fiber's message queue while the fiber is actively running,
   * returning the next effect to execute, which may be the input effect if no
   * additional effect needs to be executed.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  drainQueueWhileRunning(runtimeFlags2, cur0) {
    let cur = cur0;
    while (this._queue.length > 0) {
      const message = this._queue.splice(0, 1)[0];
      cur = drainQueueWhileRunningTable[message._tag](this, runtimeFlags2, cur, message);
    }
    return cur;
  }
  /**
   * Determines if the fiber is interrupted.
   *
   * **NOTE**: This method is safe to invoke on any fiber, but if not invoked
   * on this fiber, then values derived from the fiber's state (including the
   * log annotations and log level) may not be up-to-date.
   */
  isInterrupted() {
    return !isEmpty5(this.getFiberRef(currentInterruptedCause));
  }
  /**
   * Adds an interruptor to the set of interruptors that are interrupting this
   * fiber.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  addInterruptedCause(cause3) {
    const oldSC = this.getFiberRef(currentInterruptedCause);
    this.setFiberRef(currentInterruptedCause, sequential(oldSC, cause3));
  }
  /**
   * Processes a new incoming interrupt signal.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  processNewInterruptSignal(cause3) {
    this.addInterruptedCause(cause3);
    this.sendInterruptSignalToAllChildren();
  }
  /**
   * Interrupts all children of the current fiber, returning an effect that will
   * await the exit of the children. This method will return null if the fiber
   * has no children.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  sendInterruptSignalToAllChildren() {
    if (this._children === null || this._children.size === 0) {
      return false;
    }
    let told = false;
    for (const child of this._children) {
      child.tell(interruptSignal(interrupt(this.id())));
      told = true;
    }
    return told;
  }
  /**
   * Interrupts all children of the current fiber, returning an effect that will
   * await the exit of the children. This method will return null if the fiber
   * has no children.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  interruptAllChildren() {
    if (this.sendInterruptSignalToAllChildren()) {
      const it = this._children.values();
      this._children = null;
      let isDone5 = false;
      const body = () => {
        const next = it.next();
        if (!next.done) {
          return asVoid(next.value.await);
        } else {
          return sync(() => {
            isDone5 = true;
          });
        }
      };
      return whileLoop({
        while: () => !isDone5,
        body,
        step: () => {
        }
      });
    }
    return null;
  }
  reportExitValue(exit4) {
    if (runtimeMetrics(this.currentRuntimeFlags)) {
      const tags = this.getFiberRef(currentMetricLabels);
      const startTimeMillis = this.id().startTimeMillis;
      const endTimeMillis = Date.now();
      fiberLifetimes.unsafeUpdate(endTimeMillis - startTimeMillis, tags);
      fiberActive.unsafeUpdate(-1, tags);
      switch (exit4._tag) {
        case OP_SUCCESS: {
          fiberSuccesses.unsafeUpdate(1, tags);
          break;
        }
        case OP_FAILURE: {
          fiberFailures.unsafeUpdate(1, tags);
          break;
        }
      }
    }
    if (exit4._tag === "Failure") {
      const level = this.getFiberRef(currentUnhandledErrorLogLevel);
      if (!isInterruptedOnly(exit4.cause) && level._tag === "Some") {
        this.log("Fiber terminated with an unhandled error", exit4.cause, level);
      }
    }
  }
  setExitValue(exit4) {
    this._exitValue = exit4;
    this.reportExitValue(exit4);
    for (let i = this._observers.length - 1; i >= 0; i--) {
      this._observers[i](exit4);
    }
    this._observers = [];
  }
  getLoggers() {
    return this.getFiberRef(currentLoggers);
  }
  log(message, cause3, overrideLogLevel) {
    const logLevel = isSome2(overrideLogLevel) ? overrideLogLevel.value : this.getFiberRef(currentLogLevel);
    const minimumLogLevel = this.getFiberRef(currentMinimumLogLevel);
    if (greaterThan2(minimumLogLevel, logLevel)) {
      return;
    }
    const spans = this.getFiberRef(currentLogSpan);
    const annotations = this.getFiberRef(currentLogAnnotations);
    const loggers = this.getLoggers();
    const contextMap = this.getFiberRefs();
    if (size3(loggers) > 0) {
      const clockService = get3(this.getFiberRef(currentServices), clockTag);
      const date = new Date(clockService.unsafeCurrentTimeMillis());
      withRedactableContext(contextMap, () => {
        for (const logger of loggers) {
          logger.log({
            fiberId: this.id(),
            logLevel,
            message,
            cause: cause3,
            context: contextMap,
            spans,
            annotations,
            date
          });
        }
      });
    }
  }
  /**
   * Evaluates a single message on the current thread, while the fiber is
   * suspended. This method should only be called while evaluation of the
   * fiber's effect is suspended due to an asynchronous operation.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  evaluateMessageWhileSuspended(message) {
    switch (message._tag) {
      case OP_YIELD_NOW: {
        return EvaluationSignalYieldNow;
      }
      case OP_INTERRUPT_SIGNAL: {
        this.processNewInterruptSignal(message.cause);
        if (this._asyncInterruptor !== null) {
          this._asyncInterruptor(exitFailCause(message.cause));
          this._asyncInterruptor = null;
        }
        return EvaluationSignalContinue;
      }
      case OP_RESUME: {
        this._asyncInterruptor = null;
        this._asyncBlockingOn = null;
        this.evaluateEffect(message.effect);
        return EvaluationSignalContinue;
      }
      case OP_STATEFUL: {
        message.onFiber(this, this._exitValue !== null ? done4 : suspended2(this.currentRuntimeFlags, this._asyncBlockingOn));
        return EvaluationSignalContinue;
      }
      default: {
        return absurd(message);
      }
    }
  }
  /**
   * Evaluates an effect until completion, potentially asynchronously.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  evaluateEffect(effect0) {
    this.currentSupervisor.onResume(this);
    try {
      let effect = interruptible(this.currentRuntimeFlags) && this.isInterrupted() ? exitFailCause(this.getInterruptedCause()) : effect0;
      while (effect !== null) {
        const eff = effect;
        const exit4 = this.runLoop(eff);
        if (exit4 === YieldedOp) {
          const op = yieldedOpChannel.currentOp;
          yieldedOpChannel.currentOp = null;
          if (op._op === OP_YIELD) {
            if (cooperativeYielding(this.currentRuntimeFlags)) {
              this.tell(yieldNow3());
              this.tell(resume(exitVoid));
              effect = null;
            } else {
              effect = exitVoid;
            }
          } else if (op._op === OP_ASYNC) {
            effect = null;
          }
        } else {
          this.currentRuntimeFlags = pipe(this.currentRuntimeFlags, enable2(WindDown));
          const interruption2 = this.interruptAllChildren();
          if (interruption2 !== null) {
            effect = flatMap7(interruption2, () => exit4);
          } else {
            if (this._queue.length === 0) {
              this.setExitValue(exit4);
            } else {
              this.tell(resume(exit4));
            }
            effect = null;
          }
        }
      }
    } finally {
      this.currentSupervisor.onSuspend(this);
    }
  }
  /**
   * Begins execution of the effect associated with this fiber on the current
   * thread. This can be called to "kick off" execution of a fiber after it has
   * been created, in hopes that the effect can be executed synchronously.
   *
   * This is not the normal way of starting a fiber, but it is useful when the
   * express goal of executing the fiber is to synchronously produce its exit.
   */
  start(effect) {
    if (!this._running) {
      this._running = true;
      const prev = globalThis[currentFiberURI];
      globalThis[currentFiberURI] = this;
      try {
        this.evaluateEffect(effect);
      } finally {
        this._running = false;
        globalThis[currentFiberURI] = prev;
        if (this._queue.length > 0) {
          this.drainQueueLaterOnExecutor();
        }
      }
    } else {
      this.tell(resume(effect));
    }
  }
  /**
   * Begins execution of the effect associated with this fiber on in the
   * background, and on the correct thread pool. This can be called to "kick
   * off" execution of a fiber after it has been created, in hopes that the
   * effect can be executed synchronously.
   */
  startFork(effect) {
    this.tell(resume(effect));
  }
  /**
   * Takes the current runtime flags, patches them to return the new runtime
   * flags, and then makes any changes necessary to fiber state based on the
   * specified patch.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  patchRuntimeFlags(oldRuntimeFlags, patch9) {
    const newRuntimeFlags = patch4(oldRuntimeFlags, patch9);
    globalThis[currentFiberURI] = this;
    this.currentRuntimeFlags = newRuntimeFlags;
    return newRuntimeFlags;
  }
  /**
   * Initiates an asynchronous operation, by building a callback that will
   * resume execution, and then feeding that callback to the registration
   * function, handling error cases and repeated resumptions appropriately.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  initiateAsync(runtimeFlags2, asyncRegister) {
    let alreadyCalled = false;
    const callback = (effect) => {
      if (!alreadyCalled) {
        alreadyCalled = true;
        this.tell(resume(effect));
      }
    };
    if (interruptible(runtimeFlags2)) {
      this._asyncInterruptor = callback;
    }
    try {
      asyncRegister(callback);
    } catch (e) {
      callback(failCause(die(e)));
    }
  }
  pushStack(cont) {
    this._stack.push(cont);
    if (cont._op === "OnStep") {
      this._steps.push({
        refs: this.getFiberRefs(),
        flags: this.currentRuntimeFlags
      });
    }
  }
  popStack() {
    const item = this._stack.pop();
    if (item) {
      if (item._op === "OnStep") {
        this._steps.pop();
      }
      return item;
    }
    return;
  }
  getNextSuccessCont() {
    let frame = this.popStack();
    while (frame) {
      if (frame._op !== OP_ON_FAILURE) {
        return frame;
      }
      frame = this.popStack();
    }
  }
  getNextFailCont() {
    let frame = this.popStack();
    while (frame) {
      if (frame._op !== OP_ON_SUCCESS && frame._op !== OP_WHILE && frame._op !== OP_ITERATOR) {
        return frame;
      }
      frame = this.popStack();
    }
  }
  [OP_TAG](op) {
    return sync(() => unsafeGet3(this.currentContext, op));
  }
  ["Left"](op) {
    return fail2(op.left);
  }
  ["None"](_) {
    return fail2(new NoSuchElementException());
  }
  ["Right"](op) {
    return exitSucceed(op.right);
  }
  ["Some"](op) {
    return exitSucceed(op.value);
  }
  ["Micro"](op) {
    return unsafeAsync((microResume) => {
      let resume2 = microResume;
      const fiber = runFork(provideContext2(op, this.currentContext));
      fiber.addObserver((exit4) => {
        if (exit4._tag === "Success") {
          return resume2(exitSucceed(exit4.value));
        }
        switch (exit4.cause._tag) {
          case "Interrupt": {
            return resume2(exitFailCause(interrupt(none4)));
          }
          case "Fail": {
            return resume2(fail2(exit4.cause.error));
          }
          case "Die": {
            return resume2(die2(exit4.cause.defect));
          }
        }
      });
      return unsafeAsync((abortResume) => {
        resume2 = (_) => {
          abortResume(void_);
        };
        fiber.unsafeInterrupt();
      });
    });
  }
  [OP_SYNC](op) {
    const value2 = internalCall(() => op.effect_instruction_i0());
    const cont = this.getNextSuccessCont();
    if (cont !== void 0) {
      if (!(cont._op in contOpSuccess)) {
        absurd(cont);
      }
      return contOpSuccess[cont._op](this, cont, value2);
    } else {
      yieldedOpChannel.currentOp = exitSucceed(value2);
      return YieldedOp;
    }
  }
  [OP_SUCCESS](op) {
    const oldCur = op;
    const cont = this.getNextSuccessCont();
    if (cont !== void 0) {
      if (!(cont._op in contOpSuccess)) {
        absurd(cont);
      }
      return contOpSuccess[cont._op](this, cont, oldCur.effect_instruction_i0);
    } else {
      yieldedOpChannel.currentOp = oldCur;
      return YieldedOp;
    }
  }
  [OP_FAILURE](op) {
    const cause3 = op.effect_instruction_i0;
    const cont = this.getNextFailCont();
    if (cont !== void 0) {
      switch (cont._op) {
        case OP_ON_FAILURE:
        case OP_ON_SUCCESS_AND_FAILURE: {
          if (!(interruptible(this.currentRuntimeFlags) && this.isInterrupted())) {
            return internalCall(() => cont.effect_instruction_i1(cause3));
          } else {
            return exitFailCause(stripFailures(cause3));
          }
        }
        case "OnStep": {
          if (!(interruptible(this.currentRuntimeFlags) && this.isInterrupted())) {
            return exitSucceed(exitFailCause(cause3));
          } else {
            return exitFailCause(stripFailures(cause3));
          }
        }
        case OP_REVERT_FLAGS: {
          this.patchRuntimeFlags(this.currentRuntimeFlags, cont.patch);
          if (interruptible(this.currentRuntimeFlags) && this.isInterrupted()) {
            return exitFailCause(sequential(cause3, this.getInterruptedCause()));
          } else {
            return exitFailCause(cause3);
          }
        }
        default: {
          absurd(cont);
        }
      }
    } else {
      yieldedOpChannel.currentOp = exitFailCause(cause3);
      return YieldedOp;
    }
  }
  [OP_WITH_RUNTIME](op) {
    return internalCall(() => op.effect_instruction_i0(this, running2(this.currentRuntimeFlags)));
  }
  ["Blocked"](op) {
    const refs = this.getFiberRefs();
    const flags = this.currentRuntimeFlags;
    if (this._steps.length > 0) {
      const frames = [];
      const snap = this._steps[this._steps.length - 1];
      let frame = this.popStack();
      while (frame && frame._op !== "OnStep") {
        frames.push(frame);
        frame = this.popStack();
      }
      this.setFiberRefs(snap.refs);
      this.currentRuntimeFlags = snap.flags;
      const patchRefs = diff6(snap.refs, refs);
      const patchFlags = diff4(snap.flags, flags);
      return exitSucceed(blocked(op.effect_instruction_i0, withFiberRuntime((newFiber) => {
        while (frames.length > 0) {
          newFiber.pushStack(frames.pop());
        }
        newFiber.setFiberRefs(patch7(newFiber.id(), newFiber.getFiberRefs())(patchRefs));
        newFiber.currentRuntimeFlags = patch4(patchFlags)(newFiber.currentRuntimeFlags);
        return op.effect_instruction_i1;
      })));
    }
    return uninterruptibleMask((restore) => flatMap7(forkDaemon(runRequestBlock(op.effect_instruction_i0)), () => restore(op.effect_instruction_i1)));
  }
  ["RunBlocked"](op) {
    return runBlockedRequests(op.effect_instruction_i0);
  }
  [OP_UPDATE_RUNTIME_FLAGS](op) {
    const updateFlags = op.effect_instruction_i0;
    const oldRuntimeFlags = this.currentRuntimeFlags;
    const newRuntimeFlags = patch4(oldRuntimeFlags, updateFlags);
    if (interruptible(newRuntimeFlags) && this.isInterrupted()) {
      return exitFailCause(this.getInterruptedCause());
    } else {
      this.patchRuntimeFlags(this.currentRuntimeFlags, updateFlags);
      if (op.effect_instruction_i1) {
        const revertFlags = diff4(newRuntimeFlags, oldRuntimeFlags);
        this.pushStack(new RevertFlags(revertFlags, op));
        return internalCall(() => op.effect_instruction_i1(oldRuntimeFlags));
      } else {
        return exitVoid;
      }
    }
  }
  [OP_ON_SUCCESS](op) {
    this.pushStack(op);
    return op.effect_instruction_i0;
  }
  ["OnStep"](op) {
    this.pushStack(op);
    return op.effect_instruction_i0;
  }
  [OP_ON_FAILURE](op) {
    this.pushStack(op);
    return op.effect_instruction_i0;
  }
  [OP_ON_SUCCESS_AND_FAILURE](op) {
    this.pushStack(op);
    return op.effect_instruction_i0;
  }
  [OP_ASYNC](op) {
    this._asyncBlockingOn = op.effect_instruction_i1;
    this.initiateAsync(this.currentRuntimeFlags, op.effect_instruction_i0);
    yieldedOpChannel.currentOp = op;
    return YieldedOp;
  }
  [OP_YIELD](op) {
    this._isYielding = false;
    yieldedOpChannel.currentOp = op;
    return YieldedOp;
  }
  [OP_WHILE](op) {
    const check3 = op.effect_instruction_i0;
    const body = op.effect_instruction_i1;
    if (check3()) {
      this.pushStack(op);
      return body();
    } else {
      return exitVoid;
    }
  }
  [OP_ITERATOR](op) {
    return contOpSuccess[OP_ITERATOR](this, op, void 0);
  }
  [OP_COMMIT](op) {
    return internalCall(() => op.commit());
  }
  /**
   * The main run-loop for evaluating effects.
   *
   * **NOTE**: This method must be invoked by the fiber itself.
   */
  runLoop(effect0) {
    let cur = effect0;
    this.currentOpCount = 0;
    while (true) {
      if ((this.currentRuntimeFlags & OpSupervision) !== 0) {
        this.currentSupervisor.onEffect(this, cur);
      }
      if (this._queue.length > 0) {
        cur = this.drainQueueWhileRunning(this.currentRuntimeFlags, cur);
      }
      if (!this._isYielding) {
        this.currentOpCount += 1;
        const shouldYield = this.currentScheduler.shouldYield(this);
        if (shouldYield !== false) {
          this._isYielding = true;
          this.currentOpCount = 0;
          const oldCur = cur;
          cur = flatMap7(yieldNow({
            priority: shouldYield
          }), () => oldCur);
        }
      }
      try {
        cur = this.currentTracer.context(() => {
          if (_version !== cur[EffectTypeId2]._V) {
            const level = this.getFiberRef(currentVersionMismatchErrorLogLevel);
            if (level._tag === "Some") {
              const effectVersion = cur[EffectTypeId2]._V;
              this.log(`Executing an Effect versioned ${effectVersion} with a Runtime of version ${getCurrentVersion()}, you may want to dedupe the effect dependencies, you can use the language service plugin to detect this at compile time: https://github.com/Effect-TS/language-service`, empty16, level);
            }
          }
          return this[cur._op](cur);
        }, this);
        if (cur === YieldedOp) {
          const op = yieldedOpChannel.currentOp;
          if (op._op === OP_YIELD || op._op === OP_ASYNC) {
            return YieldedOp;
          }
          yieldedOpChannel.currentOp = null;
          return op._op === OP_SUCCESS || op._op === OP_FAILURE ? op : exitFailCause(die(op));
        }
      } catch (e) {
        if (cur !== YieldedOp && !hasProperty(cur, "_op") || !(cur._op in this)) {
          cur = dieMessage(`Not a valid effect: ${toStringUnknown(cur)}`);
        } else if (isInterruptedException(e)) {
          cur = exitFailCause(sequential(die(e), interrupt(none4)));
        } else {
          cur = die2(e);
        }
      }
    }
  }
  run = () => {
    this.drainQueueOnCurrentThread();
  };
};
var currentMinimumLogLevel = /* @__PURE__ */ globalValue("effect/FiberRef/currentMinimumLogLevel", () => fiberRefUnsafeMake(fromLiteral("Info")));
var loggerWithConsoleLog = (self) => makeLogger((opts) => {
  const services = getOrDefault2(opts.context, currentServices);
  get3(services, consoleTag).unsafe.log(self.log(opts));
});
var defaultLogger = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Logger/defaultLogger"), () => loggerWithConsoleLog(stringLogger));
var tracerLogger = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/Logger/tracerLogger"), () => makeLogger(({
  annotations,
  cause: cause3,
  context: context4,
  fiberId: fiberId3,
  logLevel,
  message
}) => {
  const span2 = filterDisablePropagation(getOption2(getOrDefault(context4, currentContext), spanTag));
  if (span2._tag === "None" || span2.value._tag === "ExternalSpan") {
    return;
  }
  const clockService = unsafeGet3(getOrDefault(context4, currentServices), clockTag);
  const attributes = {};
  for (const [key, value2] of annotations) {
    attributes[key] = value2;
  }
  attributes["effect.fiberId"] = threadName2(fiberId3);
  attributes["effect.logLevel"] = logLevel.label;
  if (cause3 !== null && cause3._tag !== "Empty") {
    attributes["effect.cause"] = pretty(cause3, {
      renderErrorCause: true
    });
  }
  span2.value.event(toStringUnknown(Array.isArray(message) && message.length === 1 ? message[0] : message), clockService.unsafeCurrentTimeNanos(), attributes);
}));
var currentLoggers = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentLoggers"), () => fiberRefUnsafeMakeHashSet(make10(defaultLogger, tracerLogger)));
var annotateLogsScoped = function() {
  if (typeof arguments[0] === "string") {
    return fiberRefLocallyScopedWith(currentLogAnnotations, set3(arguments[0], arguments[1]));
  }
  const entries3 = Object.entries(arguments[0]);
  return fiberRefLocallyScopedWith(currentLogAnnotations, mutate3((annotations) => {
    for (let i = 0; i < entries3.length; i++) {
      const [key, value2] = entries3[i];
      set3(annotations, key, value2);
    }
    return annotations;
  }));
};
var whenLogLevel = /* @__PURE__ */ dual(2, (effect, level) => {
  const requiredLogLevel = typeof level === "string" ? fromLiteral(level) : level;
  return withFiberRuntime((fiberState) => {
    const minimumLogLevel = fiberState.getFiberRef(currentMinimumLogLevel);
    if (greaterThan2(minimumLogLevel, requiredLogLevel)) {
      return succeed(none2());
    }
    return map8(effect, some2);
  });
});
var acquireRelease = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (acquire, release2) => uninterruptible(tap(acquire, (a) => addFinalizer((exit4) => release2(a, exit4)))));
var acquireReleaseInterruptible = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (acquire, release2) => ensuring(acquire, addFinalizer((exit4) => release2(exit4))));
var addFinalizer = (finalizer) => withFiberRuntime((runtime4) => {
  const acquireRefs = runtime4.getFiberRefs();
  const acquireFlags = disable2(runtime4.currentRuntimeFlags, Interruption);
  return flatMap7(scope, (scope3) => scopeAddFinalizerExit(scope3, (exit4) => withFiberRuntime((runtimeFinalizer) => {
    const preRefs = runtimeFinalizer.getFiberRefs();
    const preFlags = runtimeFinalizer.currentRuntimeFlags;
    const interruptedCause = runtimeFinalizer.getFiberRef(currentInterruptedCause);
    const patchRefs = diff6(preRefs, acquireRefs);
    const patchFlags = diff4(preFlags, acquireFlags);
    const inverseRefs = diff6(acquireRefs, preRefs);
    runtimeFinalizer.setFiberRefs(patch7(patchRefs, runtimeFinalizer.id(), acquireRefs));
    runtimeFinalizer.setFiberRef(currentInterruptedCause, interruptedCause);
    return ensuring(withRuntimeFlags(finalizer(exit4), patchFlags), sync(() => {
      runtimeFinalizer.setFiberRefs(patch7(inverseRefs, runtimeFinalizer.id(), runtimeFinalizer.getFiberRefs()));
    }));
  })));
});
var daemonChildren = (self) => {
  const forkScope = fiberRefLocally(currentForkScopeOverride, some2(globalScope));
  return forkScope(self);
};
var _existsParFound = /* @__PURE__ */ Symbol.for("effect/Effect/existsPar/found");
var exists = /* @__PURE__ */ dual((args2) => isIterable(args2[0]) && !isEffect(args2[0]), (elements, predicate, options) => matchSimple(options?.concurrency, () => suspend(() => existsLoop(elements[Symbol.iterator](), 0, predicate)), () => matchEffect(forEach7(elements, (a, i) => if_(predicate(a, i), {
  onTrue: () => fail2(_existsParFound),
  onFalse: () => void_
}), options), {
  onFailure: (e) => e === _existsParFound ? succeed(true) : fail2(e),
  onSuccess: () => succeed(false)
})));
var existsLoop = (iterator, index, f) => {
  const next = iterator.next();
  if (next.done) {
    return succeed(false);
  }
  return flatMap7(f(next.value, index), (b) => b ? succeed(b) : existsLoop(iterator, index + 1, f));
};
var filter4 = /* @__PURE__ */ dual((args2) => isIterable(args2[0]) && !isEffect(args2[0]), (elements, predicate, options) => {
  const predicate_ = options?.negate ? (a, i) => map8(predicate(a, i), not) : predicate;
  return matchSimple(options?.concurrency, () => suspend(() => fromIterable(elements).reduceRight((effect, a, i) => zipWith2(effect, suspend(() => predicate_(a, i)), (list, b) => b ? [a, ...list] : list), sync(() => new Array()))), () => map8(forEach7(elements, (a, i) => map8(predicate_(a, i), (b) => b ? some2(a) : none2()), options), getSomes));
});
var allResolveInput = (input) => {
  if (Array.isArray(input) || isIterable(input)) {
    return [input, none2()];
  }
  const keys6 = Object.keys(input);
  const size9 = keys6.length;
  return [keys6.map((k) => input[k]), some2((values3) => {
    const res = {};
    for (let i = 0; i < size9; i++) {
      ;
      res[keys6[i]] = values3[i];
    }
    return res;
  })];
};
var allValidate = (effects, reconcile, options) => {
  const eitherEffects = [];
  for (const effect of effects) {
    eitherEffects.push(either2(effect));
  }
  return flatMap7(forEach7(eitherEffects, identity, {
    concurrency: options?.concurrency,
    batching: options?.batching,
    concurrentFinalizers: options?.concurrentFinalizers
  }), (eithers) => {
    const none10 = none2();
    const size9 = eithers.length;
    const errors = new Array(size9);
    const successes = new Array(size9);
    let errored = false;
    for (let i = 0; i < size9; i++) {
      const either4 = eithers[i];
      if (either4._tag === "Left") {
        errors[i] = some2(either4.left);
        errored = true;
      } else {
        successes[i] = either4.right;
        errors[i] = none10;
      }
    }
    if (errored) {
      return reconcile._tag === "Some" ? fail2(reconcile.value(errors)) : fail2(errors);
    } else if (options?.discard) {
      return void_;
    }
    return reconcile._tag === "Some" ? succeed(reconcile.value(successes)) : succeed(successes);
  });
};
var allEither = (effects, reconcile, options) => {
  const eitherEffects = [];
  for (const effect of effects) {
    eitherEffects.push(either2(effect));
  }
  if (options?.discard) {
    return forEach7(eitherEffects, identity, {
      concurrency: options?.concurrency,
      batching: options?.batching,
      discard: true,
      concurrentFinalizers: options?.concurrentFinalizers
    });
  }
  return map8(forEach7(eitherEffects, identity, {
    concurrency: options?.concurrency,
    batching: options?.batching,
    concurrentFinalizers: options?.concurrentFinalizers
  }), (eithers) => reconcile._tag === "Some" ? reconcile.value(eithers) : eithers);
};
var all2 = (arg, options) => {
  const [effects, reconcile] = allResolveInput(arg);
  if (options?.mode === "validate") {
    return allValidate(effects, reconcile, options);
  } else if (options?.mode === "either") {
    return allEither(effects, reconcile, options);
  }
  return options?.discard !== true && reconcile._tag === "Some" ? map8(forEach7(effects, identity, options), reconcile.value) : forEach7(effects, identity, options);
};
var allWith = (options) => (arg) => all2(arg, options);
var allSuccesses = (elements, options) => map8(all2(fromIterable(elements).map(exit), options), filterMap((exit4) => exitIsSuccess(exit4) ? some2(exit4.effect_instruction_i0) : none2()));
var replicate = /* @__PURE__ */ dual(2, (self, n) => Array.from({
  length: n
}, () => self));
var replicateEffect = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (self, n, options) => all2(replicate(self, n), options));
var forEach7 = /* @__PURE__ */ dual((args2) => isIterable(args2[0]), (self, f, options) => withFiberRuntime((r2) => {
  const isRequestBatchingEnabled = options?.batching === true || options?.batching === "inherit" && r2.getFiberRef(currentRequestBatching);
  if (options?.discard) {
    return match8(options.concurrency, () => finalizersMaskInternal(sequential3, options?.concurrentFinalizers)((restore) => isRequestBatchingEnabled ? forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), true, false, 1) : forEachSequentialDiscard(self, (a, i) => restore(f(a, i)))), () => finalizersMaskInternal(parallel3, options?.concurrentFinalizers)((restore) => forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled, false)), (n) => finalizersMaskInternal(parallelN2(n), options?.concurrentFinalizers)((restore) => forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled, false, n)));
  }
  return match8(options?.concurrency, () => finalizersMaskInternal(sequential3, options?.concurrentFinalizers)((restore) => isRequestBatchingEnabled ? forEachParN(self, 1, (a, i) => restore(f(a, i)), true) : forEachSequential(self, (a, i) => restore(f(a, i)))), () => finalizersMaskInternal(parallel3, options?.concurrentFinalizers)((restore) => forEachParUnbounded(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled)), (n) => finalizersMaskInternal(parallelN2(n), options?.concurrentFinalizers)((restore) => forEachParN(self, n, (a, i) => restore(f(a, i)), isRequestBatchingEnabled)));
}));
var forEachParUnbounded = (self, f, batching) => suspend(() => {
  const as4 = fromIterable(self);
  const array3 = new Array(as4.length);
  const fn2 = (a, i) => flatMap7(f(a, i), (b) => sync(() => array3[i] = b));
  return zipRight(forEachConcurrentDiscard(as4, fn2, batching, false), succeed(array3));
});
var forEachConcurrentDiscard = (self, f, batching, processAll, n) => uninterruptibleMask((restore) => transplant((graft) => withFiberRuntime((parent) => {
  let todos = Array.from(self).reverse();
  let target = todos.length;
  if (target === 0) {
    return void_;
  }
  let counter6 = 0;
  let interrupted = false;
  const fibersCount = n ? Math.min(todos.length, n) : todos.length;
  const fibers = /* @__PURE__ */ new Set();
  const results = new Array();
  const interruptAll = () => fibers.forEach((fiber) => {
    fiber.currentScheduler.scheduleTask(() => {
      fiber.unsafeInterruptAsFork(parent.id());
    }, 0, fiber);
  });
  const startOrder = new Array();
  const joinOrder = new Array();
  const residual = new Array();
  const collectExits = () => {
    const exits = results.filter(({
      exit: exit4
    }) => exit4._tag === "Failure").sort((a, b) => a.index < b.index ? -1 : a.index === b.index ? 0 : 1).map(({
      exit: exit4
    }) => exit4);
    if (exits.length === 0) {
      exits.push(exitVoid);
    }
    return exits;
  };
  const runFiber = (eff, interruptImmediately = false) => {
    const runnable = uninterruptible(graft(eff));
    const fiber = unsafeForkUnstarted(runnable, parent, parent.currentRuntimeFlags, globalScope);
    parent.currentScheduler.scheduleTask(() => {
      if (interruptImmediately) {
        fiber.unsafeInterruptAsFork(parent.id());
      }
      fiber.resume(runnable);
    }, 0, fiber);
    return fiber;
  };
  const onInterruptSignal = () => {
    if (!processAll) {
      target -= todos.length;
      todos = [];
    }
    interrupted = true;
    interruptAll();
  };
  const stepOrExit = batching ? step2 : exit;
  const processingFiber = runFiber(async_((resume2) => {
    const pushResult = (res, index) => {
      if (res._op === "Blocked") {
        residual.push(res);
      } else {
        results.push({
          index,
          exit: res
        });
        if (res._op === "Failure" && !interrupted) {
          onInterruptSignal();
        }
      }
    };
    const next = () => {
      if (todos.length > 0) {
        const a = todos.pop();
        let index = counter6++;
        const returnNextElement = () => {
          const a2 = todos.pop();
          index = counter6++;
          return flatMap7(yieldNow(), () => flatMap7(stepOrExit(restore(f(a2, index))), onRes));
        };
        const onRes = (res) => {
          if (todos.length > 0) {
            pushResult(res, index);
            if (todos.length > 0) {
              return returnNextElement();
            }
          }
          return succeed(res);
        };
        const todo = flatMap7(stepOrExit(restore(f(a, index))), onRes);
        const fiber = runFiber(todo);
        startOrder.push(fiber);
        fibers.add(fiber);
        if (interrupted) {
          fiber.currentScheduler.scheduleTask(() => {
            fiber.unsafeInterruptAsFork(parent.id());
          }, 0, fiber);
        }
        fiber.addObserver((wrapped) => {
          let exit4;
          if (wrapped._op === "Failure") {
            exit4 = wrapped;
          } else {
            exit4 = wrapped.effect_instruction_i0;
          }
          joinOrder.push(fiber);
          fibers.delete(fiber);
          pushResult(exit4, index);
          if (results.length === target) {
            resume2(succeed(getOrElse(exitCollectAll(collectExits(), {
              parallel: true
            }), () => exitVoid)));
          } else if (residual.length + results.length === target) {
            const exits = collectExits();
            const requests = residual.map((blocked3) => blocked3.effect_instruction_i0).reduce(par);
            resume2(succeed(blocked(requests, forEachConcurrentDiscard([getOrElse(exitCollectAll(exits, {
              parallel: true
            }), () => exitVoid), ...residual.map((blocked3) => blocked3.effect_instruction_i1)], (i) => i, batching, true, n))));
          } else {
            next();
          }
        });
      }
    };
    for (let i = 0; i < fibersCount; i++) {
      next();
    }
  }));
  return asVoid(onExit(flatten4(restore(join2(processingFiber))), exitMatch({
    onFailure: (cause3) => {
      onInterruptSignal();
      const target2 = residual.length + 1;
      const concurrency = Math.min(typeof n === "number" ? n : residual.length, residual.length);
      const toPop = Array.from(residual);
      return async_((cb) => {
        const exits = [];
        let count = 0;
        let index = 0;
        const check3 = (index2, hitNext) => (exit4) => {
          exits[index2] = exit4;
          count++;
          if (count === target2) {
            cb(exitSucceed(exitFailCause(cause3)));
          }
          if (toPop.length > 0 && hitNext) {
            next();
          }
        };
        const next = () => {
          runFiber(toPop.pop(), true).addObserver(check3(index, true));
          index++;
        };
        processingFiber.addObserver(check3(index, false));
        index++;
        for (let i = 0; i < concurrency; i++) {
          next();
        }
      });
    },
    onSuccess: () => forEachSequential(joinOrder, (f2) => f2.inheritAll)
  })));
})));
var forEachParN = (self, n, f, batching) => suspend(() => {
  const as4 = fromIterable(self);
  const array3 = new Array(as4.length);
  const fn2 = (a, i) => map8(f(a, i), (b) => array3[i] = b);
  return zipRight(forEachConcurrentDiscard(as4, fn2, batching, false, n), succeed(array3));
});
var fork = (self) => withFiberRuntime((state, status) => succeed(unsafeFork2(self, state, status.runtimeFlags)));
var forkDaemon = (self) => forkWithScopeOverride(self, globalScope);
var forkWithErrorHandler = /* @__PURE__ */ dual(2, (self, handler) => fork(onError(self, (cause3) => {
  const either4 = failureOrCause(cause3);
  switch (either4._tag) {
    case "Left":
      return handler(either4.left);
    case "Right":
      return failCause(either4.right);
  }
})));
var unsafeFork2 = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => {
  const childFiber = unsafeMakeChildFiber(effect, parentFiber, parentRuntimeFlags, overrideScope);
  childFiber.resume(effect);
  return childFiber;
};
var unsafeForkUnstarted = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => {
  const childFiber = unsafeMakeChildFiber(effect, parentFiber, parentRuntimeFlags, overrideScope);
  return childFiber;
};
var unsafeMakeChildFiber = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => {
  const childId = unsafeMake2();
  const parentFiberRefs = parentFiber.getFiberRefs();
  const childFiberRefs = forkAs(parentFiberRefs, childId);
  const childFiber = new FiberRuntime(childId, childFiberRefs, parentRuntimeFlags);
  const childContext = getOrDefault(childFiberRefs, currentContext);
  const supervisor = childFiber.currentSupervisor;
  supervisor.onStart(childContext, effect, some2(parentFiber), childFiber);
  childFiber.addObserver((exit4) => supervisor.onEnd(exit4, childFiber));
  const parentScope = overrideScope !== null ? overrideScope : pipe(parentFiber.getFiberRef(currentForkScopeOverride), getOrElse(() => parentFiber.scope()));
  parentScope.add(parentRuntimeFlags, childFiber);
  return childFiber;
};
var forkWithScopeOverride = (self, scopeOverride) => withFiberRuntime((parentFiber, parentStatus) => succeed(unsafeFork2(self, parentFiber, parentStatus.runtimeFlags, scopeOverride)));
var mergeAll3 = /* @__PURE__ */ dual((args2) => isFunction2(args2[2]), (elements, zero3, f, options) => matchSimple(options?.concurrency, () => fromIterable(elements).reduce((acc, a, i) => zipWith2(acc, a, (acc2, a2) => f(acc2, a2, i)), succeed(zero3)), () => flatMap7(make27(zero3), (acc) => flatMap7(forEach7(elements, (effect, i) => flatMap7(effect, (a) => update3(acc, (b) => f(b, a, i))), options), () => get12(acc)))));
var partition3 = /* @__PURE__ */ dual((args2) => isIterable(args2[0]), (elements, f, options) => pipe(forEach7(elements, (a, i) => either2(f(a, i)), options), map8((chunk2) => partitionMap2(chunk2, identity))));
var validateAll = /* @__PURE__ */ dual((args2) => isIterable(args2[0]), (elements, f, options) => flatMap7(partition3(elements, f, {
  concurrency: options?.concurrency,
  batching: options?.batching,
  concurrentFinalizers: options?.concurrentFinalizers
}), ([es, bs]) => isNonEmptyArray2(es) ? fail2(es) : options?.discard ? void_ : succeed(bs)));
var raceAll = (all4) => withFiberRuntime((state, status) => async_((resume2) => {
  const fibers = /* @__PURE__ */ new Set();
  let winner;
  let failures2 = empty16;
  const interruptAll = () => {
    for (const fiber of fibers) {
      fiber.unsafeInterruptAsFork(state.id());
    }
  };
  let latch = false;
  let empty29 = true;
  for (const self of all4) {
    empty29 = false;
    const fiber = unsafeFork2(interruptible2(self), state, status.runtimeFlags);
    fibers.add(fiber);
    fiber.addObserver((exit4) => {
      fibers.delete(fiber);
      if (!winner) {
        if (exit4._tag === "Success") {
          latch = true;
          winner = fiber;
          failures2 = empty16;
          interruptAll();
        } else {
          failures2 = parallel(exit4.cause, failures2);
        }
      }
      if (latch && fibers.size === 0) {
        resume2(winner ? zipRight(inheritAll(winner), winner.unsafePoll()) : failCause(failures2));
      }
    });
    if (winner) break;
  }
  if (empty29) {
    return resume2(dieSync(() => new IllegalArgumentException(`Received an empty collection of effects`)));
  }
  latch = true;
  return interruptAllAs(fibers, state.id());
}));
var reduceEffect = /* @__PURE__ */ dual((args2) => isIterable(args2[0]) && !isEffect(args2[0]), (elements, zero3, f, options) => matchSimple(options?.concurrency, () => fromIterable(elements).reduce((acc, a, i) => zipWith2(acc, a, (acc2, a2) => f(acc2, a2, i)), zero3), () => suspend(() => pipe(mergeAll3([zero3, ...elements], none2(), (acc, elem, i) => {
  switch (acc._tag) {
    case "None": {
      return some2(elem);
    }
    case "Some": {
      return some2(f(acc.value, elem, i));
    }
  }
}, options), map8((option3) => {
  switch (option3._tag) {
    case "None": {
      throw new Error("BUG: Effect.reduceEffect - please report an issue at https://github.com/Effect-TS/effect/issues");
    }
    case "Some": {
      return option3.value;
    }
  }
})))));
var parallelFinalizers = (self) => contextWithEffect((context4) => match2(getOption2(context4, scopeTag), {
  onNone: () => self,
  onSome: (scope3) => {
    switch (scope3.strategy._tag) {
      case "Parallel":
        return self;
      case "Sequential":
      case "ParallelN":
        return flatMap7(scopeFork(scope3, parallel3), (inner) => scopeExtend(self, inner));
    }
  }
}));
var parallelNFinalizers = (parallelism) => (self) => contextWithEffect((context4) => match2(getOption2(context4, scopeTag), {
  onNone: () => self,
  onSome: (scope3) => {
    if (scope3.strategy._tag === "ParallelN" && scope3.strategy.parallelism === parallelism) {
      return self;
    }
    return flatMap7(scopeFork(scope3, parallelN2(parallelism)), (inner) => scopeExtend(self, inner));
  }
}));
var finalizersMask = (strategy) => (self) => finalizersMaskInternal(strategy, true)(self);
var finalizersMaskInternal = (strategy, concurrentFinalizers) => (self) => contextWithEffect((context4) => match2(getOption2(context4, scopeTag), {
  onNone: () => self(identity),
  onSome: (scope3) => {
    if (concurrentFinalizers === true) {
      const patch9 = strategy._tag === "Parallel" ? parallelFinalizers : strategy._tag === "Sequential" ? sequentialFinalizers : parallelNFinalizers(strategy.parallelism);
      switch (scope3.strategy._tag) {
        case "Parallel":
          return patch9(self(parallelFinalizers));
        case "Sequential":
          return patch9(self(sequentialFinalizers));
        case "ParallelN":
          return patch9(self(parallelNFinalizers(scope3.strategy.parallelism)));
      }
    } else {
      return self(identity);
    }
  }
}));
var scopeWith = (f) => flatMap7(scopeTag, f);
var scopedWith = (f) => flatMap7(scopeMake(), (scope3) => onExit(f(scope3), (exit4) => scope3.close(exit4)));
var scopedEffect = (effect) => flatMap7(scopeMake(), (scope3) => scopeUse(effect, scope3));
var sequentialFinalizers = (self) => contextWithEffect((context4) => match2(getOption2(context4, scopeTag), {
  onNone: () => self,
  onSome: (scope3) => {
    switch (scope3.strategy._tag) {
      case "Sequential":
        return self;
      case "Parallel":
      case "ParallelN":
        return flatMap7(scopeFork(scope3, sequential3), (inner) => scopeExtend(self, inner));
    }
  }
}));
var tagMetricsScoped = (key, value2) => labelMetricsScoped([make28(key, value2)]);
var labelMetricsScoped = (labels) => fiberRefLocallyScopedWith(currentMetricLabels, (old) => union(old, labels));
var using = /* @__PURE__ */ dual(2, (self, use) => scopedWith((scope3) => flatMap7(scopeExtend(self, scope3), use)));
var validate = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, options) => validateWith(self, that, (a, b) => [a, b], options));
var validateWith = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, f, options) => flatten4(zipWithOptions(exit(self), exit(that), (ea, eb) => exitZipWith(ea, eb, {
  onSuccess: f,
  onFailure: (ca, cb) => options?.concurrent ? parallel(ca, cb) : sequential(ca, cb)
}), options)));
var validateFirst = /* @__PURE__ */ dual((args2) => isIterable(args2[0]), (elements, f, options) => flip(forEach7(elements, (a, i) => flip(f(a, i)), options)));
var withClockScoped = (c) => fiberRefLocallyScopedWith(currentServices, add2(clockTag, c));
var withRandomScoped = (value2) => fiberRefLocallyScopedWith(currentServices, add2(randomTag, value2));
var withConfigProviderScoped = (provider) => fiberRefLocallyScopedWith(currentServices, add2(configProviderTag, provider));
var withEarlyRelease = (self) => scopeWith((parent) => flatMap7(scopeFork(parent, sequential2), (child) => pipe(self, scopeExtend(child), map8((value2) => [fiberIdWith((fiberId3) => scopeClose(child, exitInterrupt(fiberId3))), value2]))));
var zipOptions = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, options) => zipWithOptions(self, that, (a, b) => [a, b], options));
var zipLeftOptions = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, options) => {
  if (options?.concurrent !== true && (options?.batching === void 0 || options.batching === false)) {
    return zipLeft(self, that);
  }
  return zipWithOptions(self, that, (a, _) => a, options);
});
var zipRightOptions = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, options) => {
  if (options?.concurrent !== true && (options?.batching === void 0 || options.batching === false)) {
    return zipRight(self, that);
  }
  return zipWithOptions(self, that, (_, b) => b, options);
});
var zipWithOptions = /* @__PURE__ */ dual((args2) => isEffect(args2[1]), (self, that, f, options) => map8(all2([self, that], {
  concurrency: options?.concurrent ? 2 : 1,
  batching: options?.batching,
  concurrentFinalizers: options?.concurrentFinalizers
}), ([a, a2]) => f(a, a2)));
var withRuntimeFlagsScoped = (update5) => {
  if (update5 === empty14) {
    return void_;
  }
  return pipe(runtimeFlags, flatMap7((runtimeFlags2) => {
    const updatedRuntimeFlags = patch4(runtimeFlags2, update5);
    const revertRuntimeFlags = diff4(updatedRuntimeFlags, runtimeFlags2);
    return pipe(updateRuntimeFlags(update5), zipRight(addFinalizer(() => updateRuntimeFlags(revertRuntimeFlags))), asVoid);
  }), uninterruptible);
};
var scopeTag = /* @__PURE__ */ GenericTag("effect/Scope");
var scope = scopeTag;
var scopeUnsafeAddFinalizer = (scope3, fin) => {
  if (scope3.state._tag === "Open") {
    scope3.state.finalizers.set({}, fin);
  }
};
var ScopeImplProto = {
  [ScopeTypeId]: ScopeTypeId,
  [CloseableScopeTypeId]: CloseableScopeTypeId,
  pipe() {
    return pipeArguments(this, arguments);
  },
  fork(strategy) {
    return sync(() => {
      const newScope = scopeUnsafeMake(strategy);
      if (this.state._tag === "Closed") {
        newScope.state = this.state;
        return newScope;
      }
      const key = {};
      const fin = (exit4) => newScope.close(exit4);
      this.state.finalizers.set(key, fin);
      scopeUnsafeAddFinalizer(newScope, (_) => sync(() => {
        if (this.state._tag === "Open") {
          this.state.finalizers.delete(key);
        }
      }));
      return newScope;
    });
  },
  close(exit4) {
    return suspend(() => {
      if (this.state._tag === "Closed") {
        return void_;
      }
      const finalizers = Array.from(this.state.finalizers.values()).reverse();
      this.state = {
        _tag: "Closed",
        exit: exit4
      };
      if (finalizers.length === 0) {
        return void_;
      }
      return isSequential(this.strategy) ? pipe(forEachSequential(finalizers, (fin) => exit(fin(exit4))), flatMap7((results) => pipe(exitCollectAll(results), map(exitAsVoid), getOrElse(() => exitVoid)))) : isParallel(this.strategy) ? pipe(forEachParUnbounded(finalizers, (fin) => exit(fin(exit4)), false), flatMap7((results) => pipe(exitCollectAll(results, {
        parallel: true
      }), map(exitAsVoid), getOrElse(() => exitVoid)))) : pipe(forEachParN(finalizers, this.strategy.parallelism, (fin) => exit(fin(exit4)), false), flatMap7((results) => pipe(exitCollectAll(results, {
        parallel: true
      }), map(exitAsVoid), getOrElse(() => exitVoid))));
    });
  },
  addFinalizer(fin) {
    return suspend(() => {
      if (this.state._tag === "Closed") {
        return fin(this.state.exit);
      }
      this.state.finalizers.set({}, fin);
      return void_;
    });
  }
};
var scopeUnsafeMake = (strategy = sequential2) => {
  const scope3 = Object.create(ScopeImplProto);
  scope3.strategy = strategy;
  scope3.state = {
    _tag: "Open",
    finalizers: /* @__PURE__ */ new Map()
  };
  return scope3;
};
var scopeMake = (strategy = sequential2) => sync(() => scopeUnsafeMake(strategy));
var scopeExtend = /* @__PURE__ */ dual(2, (effect, scope3) => mapInputContext(
  effect,
  // @ts-expect-error
  merge3(make5(scopeTag, scope3))
));
var scopeUse = /* @__PURE__ */ dual(2, (effect, scope3) => pipe(effect, scopeExtend(scope3), onExit((exit4) => scope3.close(exit4))));
var fiberRefUnsafeMakeSupervisor = (initial) => fiberRefUnsafeMakePatch(initial, {
  differ: differ2,
  fork: empty25
});
var fiberRefLocallyScoped = /* @__PURE__ */ dual(2, (self, value2) => asVoid(acquireRelease(flatMap7(fiberRefGet(self), (oldValue) => as(fiberRefSet(self, value2), oldValue)), (oldValue) => fiberRefSet(self, oldValue))));
var fiberRefLocallyScopedWith = /* @__PURE__ */ dual(2, (self, f) => fiberRefGetWith(self, (a) => fiberRefLocallyScoped(self, f(a))));
var currentRuntimeFlags = /* @__PURE__ */ fiberRefUnsafeMakeRuntimeFlags(none5);
var currentSupervisor = /* @__PURE__ */ fiberRefUnsafeMakeSupervisor(none8);
var fiberAwaitAll = (fibers) => forEach7(fibers, _await2);
var fiberAll = (fibers) => {
  const _fiberAll = {
    ...CommitPrototype2,
    commit() {
      return join2(this);
    },
    [FiberTypeId]: fiberVariance2,
    id: () => fromIterable(fibers).reduce((id, fiber) => combine3(id, fiber.id()), none4),
    await: exit(forEachParUnbounded(fibers, (fiber) => flatten4(fiber.await), false)),
    children: map8(forEachParUnbounded(fibers, (fiber) => fiber.children, false), flatten),
    inheritAll: forEachSequentialDiscard(fibers, (fiber) => fiber.inheritAll),
    poll: map8(forEachSequential(fibers, (fiber) => fiber.poll), reduceRight(some2(exitSucceed(new Array())), (optionB, optionA) => {
      switch (optionA._tag) {
        case "None": {
          return none2();
        }
        case "Some": {
          switch (optionB._tag) {
            case "None": {
              return none2();
            }
            case "Some": {
              return some2(exitZipWith(optionA.value, optionB.value, {
                onSuccess: (a, chunk2) => [a, ...chunk2],
                onFailure: parallel
              }));
            }
          }
        }
      }
    })),
    interruptAsFork: (fiberId3) => forEachSequentialDiscard(fibers, (fiber) => fiber.interruptAsFork(fiberId3))
  };
  return _fiberAll;
};
var raceWith = /* @__PURE__ */ dual(3, (self, other, options) => raceFibersWith(self, other, {
  onSelfWin: (winner, loser) => flatMap7(winner.await, (exit4) => {
    switch (exit4._tag) {
      case OP_SUCCESS: {
        return flatMap7(winner.inheritAll, () => options.onSelfDone(exit4, loser));
      }
      case OP_FAILURE: {
        return options.onSelfDone(exit4, loser);
      }
    }
  }),
  onOtherWin: (winner, loser) => flatMap7(winner.await, (exit4) => {
    switch (exit4._tag) {
      case OP_SUCCESS: {
        return flatMap7(winner.inheritAll, () => options.onOtherDone(exit4, loser));
      }
      case OP_FAILURE: {
        return options.onOtherDone(exit4, loser);
      }
    }
  })
}));
var disconnect = (self) => uninterruptibleMask((restore) => fiberIdWith((fiberId3) => flatMap7(forkDaemon(restore(self)), (fiber) => pipe(restore(join2(fiber)), onInterrupt(() => pipe(fiber, interruptAsFork(fiberId3)))))));
var race = /* @__PURE__ */ dual(2, (self, that) => fiberIdWith((parentFiberId) => raceWith(self, that, {
  onSelfDone: (exit4, right3) => exitMatchEffect(exit4, {
    onFailure: (cause3) => pipe(join2(right3), mapErrorCause((cause22) => parallel(cause3, cause22))),
    onSuccess: (value2) => pipe(right3, interruptAsFiber(parentFiberId), as(value2))
  }),
  onOtherDone: (exit4, left3) => exitMatchEffect(exit4, {
    onFailure: (cause3) => pipe(join2(left3), mapErrorCause((cause22) => parallel(cause22, cause3))),
    onSuccess: (value2) => pipe(left3, interruptAsFiber(parentFiberId), as(value2))
  })
})));
var raceFibersWith = /* @__PURE__ */ dual(3, (self, other, options) => withFiberRuntime((parentFiber, parentStatus) => {
  const parentRuntimeFlags = parentStatus.runtimeFlags;
  const raceIndicator = make11(true);
  const leftFiber = unsafeMakeChildFiber(self, parentFiber, parentRuntimeFlags, options.selfScope);
  const rightFiber = unsafeMakeChildFiber(other, parentFiber, parentRuntimeFlags, options.otherScope);
  return async_((cb) => {
    leftFiber.addObserver(() => completeRace(leftFiber, rightFiber, options.onSelfWin, raceIndicator, cb));
    rightFiber.addObserver(() => completeRace(rightFiber, leftFiber, options.onOtherWin, raceIndicator, cb));
    leftFiber.startFork(self);
    rightFiber.startFork(other);
  }, combine3(leftFiber.id(), rightFiber.id()));
}));
var completeRace = (winner, loser, cont, ab, cb) => {
  if (compareAndSet(true, false)(ab)) {
    cb(cont(winner, loser));
  }
};
var ensuring = /* @__PURE__ */ dual(2, (self, finalizer) => uninterruptibleMask((restore) => matchCauseEffect(restore(self), {
  onFailure: (cause1) => matchCauseEffect(finalizer, {
    onFailure: (cause22) => failCause(sequential(cause1, cause22)),
    onSuccess: () => failCause(cause1)
  }),
  onSuccess: (a) => as(finalizer, a)
})));
var invokeWithInterrupt = (self, entries3, onInterrupt3) => fiberIdWith((id) => ensuring(flatMap7(forkDaemon(interruptible2(self)), (processing) => async_((cb) => {
  const counts2 = entries3.map((_) => _.listeners.count);
  const checkDone = () => {
    if (counts2.every((count) => count === 0)) {
      if (entries3.every((_) => {
        if (_.result.state.current._tag === "Pending") {
          return true;
        } else if (_.result.state.current._tag === "Done" && exitIsExit(_.result.state.current.effect) && _.result.state.current.effect._tag === "Failure" && isInterrupted(_.result.state.current.effect.cause)) {
          return true;
        } else {
          return false;
        }
      })) {
        cleanup.forEach((f) => f());
        onInterrupt3?.();
        cb(interruptFiber(processing));
      }
    }
  };
  processing.addObserver((exit4) => {
    cleanup.forEach((f) => f());
    cb(exit4);
  });
  const cleanup = entries3.map((r2, i) => {
    const observer = (count) => {
      counts2[i] = count;
      checkDone();
    };
    r2.listeners.addObserver(observer);
    return () => r2.listeners.removeObserver(observer);
  });
  checkDone();
  return sync(() => {
    cleanup.forEach((f) => f());
  });
})), suspend(() => {
  const residual = entries3.flatMap((entry) => {
    if (!entry.state.completed) {
      return [entry];
    }
    return [];
  });
  return forEachSequentialDiscard(residual, (entry) => complete(entry.request, exitInterrupt(id)));
})));
var makeSpanScoped = (name, options) => {
  options = addSpanStackTrace(options);
  return uninterruptible(withFiberRuntime((fiber) => {
    const scope3 = unsafeGet3(fiber.getFiberRef(currentContext), scopeTag);
    const span2 = unsafeMakeSpan(fiber, name, options);
    const timingEnabled = fiber.getFiberRef(currentTracerTimingEnabled);
    const clock_ = get3(fiber.getFiberRef(currentServices), clockTag);
    return as(scopeAddFinalizerExit(scope3, (exit4) => endSpan(span2, exit4, clock_, timingEnabled)), span2);
  }));
};
var withTracerScoped = (value2) => fiberRefLocallyScopedWith(currentServices, add2(tracerTag, value2));
var withSpanScoped = function() {
  const dataFirst = typeof arguments[0] !== "string";
  const name = dataFirst ? arguments[1] : arguments[0];
  const options = addSpanStackTrace(dataFirst ? arguments[2] : arguments[1]);
  if (dataFirst) {
    const self = arguments[0];
    return flatMap7(makeSpanScoped(name, addSpanStackTrace(options)), (span2) => provideService(self, spanTag, span2));
  }
  return (self) => flatMap7(makeSpanScoped(name, addSpanStackTrace(options)), (span2) => provideService(self, spanTag, span2));
};

// node_modules/effect/dist/esm/internal/cache.js
var complete2 = (key, exit4, entryStats, timeToLiveMillis) => struct({
  _tag: "Complete",
  key,
  exit: exit4,
  entryStats,
  timeToLiveMillis
});
var pending2 = (key, deferred) => struct({
  _tag: "Pending",
  key,
  deferred
});
var refreshing = (deferred, complete3) => struct({
  _tag: "Refreshing",
  deferred,
  complete: complete3
});
var MapKeyTypeId = /* @__PURE__ */ Symbol.for("effect/Cache/MapKey");
var MapKeyImpl = class {
  current;
  [MapKeyTypeId] = MapKeyTypeId;
  previous = void 0;
  next = void 0;
  constructor(current) {
    this.current = current;
  }
  [symbol]() {
    return pipe(hash(this.current), combine(hash(this.previous)), combine(hash(this.next)), cached(this));
  }
  [symbol2](that) {
    if (this === that) {
      return true;
    }
    return isMapKey(that) && equals(this.current, that.current) && equals(this.previous, that.previous) && equals(this.next, that.next);
  }
};
var makeMapKey = (current) => new MapKeyImpl(current);
var isMapKey = (u) => hasProperty(u, MapKeyTypeId);
var KeySetImpl = class {
  head = void 0;
  tail = void 0;
  add(key) {
    if (key !== this.tail) {
      if (this.tail === void 0) {
        this.head = key;
        this.tail = key;
      } else {
        const previous = key.previous;
        const next = key.next;
        if (next !== void 0) {
          key.next = void 0;
          if (previous !== void 0) {
            previous.next = next;
            next.previous = previous;
          } else {
            this.head = next;
            this.head.previous = void 0;
          }
        }
        this.tail.next = key;
        key.previous = this.tail;
        this.tail = key;
      }
    }
  }
  remove() {
    const key = this.head;
    if (key !== void 0) {
      const next = key.next;
      if (next !== void 0) {
        key.next = void 0;
        this.head = next;
        this.head.previous = void 0;
      } else {
        this.head = void 0;
        this.tail = void 0;
      }
    }
    return key;
  }
};
var makeKeySet = () => new KeySetImpl();
var makeCacheState = (map12, keys6, accesses, updating, hits, misses) => ({
  map: map12,
  keys: keys6,
  accesses,
  updating,
  hits,
  misses
});
var initialCacheState = () => makeCacheState(empty17(), makeKeySet(), unbounded(), make11(false), 0, 0);
var CacheSymbolKey = "effect/Cache";
var CacheTypeId = /* @__PURE__ */ Symbol.for(CacheSymbolKey);
var cacheVariance = {
  /* c8 ignore next */
  _Key: (_) => _,
  /* c8 ignore next */
  _Error: (_) => _,
  /* c8 ignore next */
  _Value: (_) => _
};
var ConsumerCacheSymbolKey = "effect/ConsumerCache";
var ConsumerCacheTypeId = /* @__PURE__ */ Symbol.for(ConsumerCacheSymbolKey);
var consumerCacheVariance = {
  /* c8 ignore next */
  _Key: (_) => _,
  /* c8 ignore next */
  _Error: (_) => _,
  /* c8 ignore next */
  _Value: (_) => _
};
var makeCacheStats = (options) => options;
var makeEntryStats = (loadedMillis) => ({
  loadedMillis
});
var CacheImpl = class {
  capacity;
  context;
  fiberId;
  lookup;
  timeToLive;
  [CacheTypeId] = cacheVariance;
  [ConsumerCacheTypeId] = consumerCacheVariance;
  cacheState;
  constructor(capacity, context4, fiberId3, lookup, timeToLive) {
    this.capacity = capacity;
    this.context = context4;
    this.fiberId = fiberId3;
    this.lookup = lookup;
    this.timeToLive = timeToLive;
    this.cacheState = initialCacheState();
  }
  get(key) {
    return map8(this.getEither(key), merge);
  }
  get cacheStats() {
    return sync(() => makeCacheStats({
      hits: this.cacheState.hits,
      misses: this.cacheState.misses,
      size: size4(this.cacheState.map)
    }));
  }
  getOption(key) {
    return suspend(() => match2(get8(this.cacheState.map, key), {
      onNone: () => {
        const mapKey = makeMapKey(key);
        this.trackAccess(mapKey);
        this.trackMiss();
        return succeed(none2());
      },
      onSome: (value2) => this.resolveMapValue(value2)
    }));
  }
  getOptionComplete(key) {
    return suspend(() => match2(get8(this.cacheState.map, key), {
      onNone: () => {
        const mapKey = makeMapKey(key);
        this.trackAccess(mapKey);
        this.trackMiss();
        return succeed(none2());
      },
      onSome: (value2) => this.resolveMapValue(value2, true)
    }));
  }
  contains(key) {
    return sync(() => has4(this.cacheState.map, key));
  }
  entryStats(key) {
    return sync(() => {
      const option3 = get8(this.cacheState.map, key);
      if (isSome2(option3)) {
        switch (option3.value._tag) {
          case "Complete": {
            const loaded = option3.value.entryStats.loadedMillis;
            return some2(makeEntryStats(loaded));
          }
          case "Pending": {
            return none2();
          }
          case "Refreshing": {
            const loaded = option3.value.complete.entryStats.loadedMillis;
            return some2(makeEntryStats(loaded));
          }
        }
      }
      return none2();
    });
  }
  getEither(key) {
    return suspend(() => {
      const k = key;
      let mapKey = void 0;
      let deferred = void 0;
      let value2 = getOrUndefined(get8(this.cacheState.map, k));
      if (value2 === void 0) {
        deferred = unsafeMake3(this.fiberId);
        mapKey = makeMapKey(k);
        if (has4(this.cacheState.map, k)) {
          value2 = getOrUndefined(get8(this.cacheState.map, k));
        } else {
          set4(this.cacheState.map, k, pending2(mapKey, deferred));
        }
      }
      if (value2 === void 0) {
        this.trackAccess(mapKey);
        this.trackMiss();
        return map8(this.lookupValueOf(key, deferred), right2);
      } else {
        return flatMap7(this.resolveMapValue(value2), match2({
          onNone: () => this.getEither(key),
          onSome: (value3) => succeed(left2(value3))
        }));
      }
    });
  }
  invalidate(key) {
    return sync(() => {
      remove5(this.cacheState.map, key);
    });
  }
  invalidateWhen(key, when3) {
    return sync(() => {
      const value2 = get8(this.cacheState.map, key);
      if (isSome2(value2) && value2.value._tag === "Complete") {
        if (value2.value.exit._tag === "Success") {
          if (when3(value2.value.exit.value)) {
            remove5(this.cacheState.map, key);
          }
        }
      }
    });
  }
  get invalidateAll() {
    return sync(() => {
      this.cacheState.map = empty17();
    });
  }
  refresh(key) {
    return clockWith3((clock3) => suspend(() => {
      const k = key;
      const deferred = unsafeMake3(this.fiberId);
      let value2 = getOrUndefined(get8(this.cacheState.map, k));
      if (value2 === void 0) {
        if (has4(this.cacheState.map, k)) {
          value2 = getOrUndefined(get8(this.cacheState.map, k));
        } else {
          set4(this.cacheState.map, k, pending2(makeMapKey(k), deferred));
        }
      }
      if (value2 === void 0) {
        return asVoid(this.lookupValueOf(key, deferred));
      } else {
        switch (value2._tag) {
          case "Complete": {
            if (this.hasExpired(clock3, value2.timeToLiveMillis)) {
              const found = getOrUndefined(get8(this.cacheState.map, k));
              if (equals(found, value2)) {
                remove5(this.cacheState.map, k);
              }
              return asVoid(this.get(key));
            }
            return pipe(this.lookupValueOf(key, deferred), when(() => {
              const current = getOrUndefined(get8(this.cacheState.map, k));
              if (equals(current, value2)) {
                const mapValue = refreshing(deferred, value2);
                set4(this.cacheState.map, k, mapValue);
                return true;
              }
              return false;
            }), asVoid);
          }
          case "Pending": {
            return _await(value2.deferred);
          }
          case "Refreshing": {
            return _await(value2.deferred);
          }
        }
      }
    }));
  }
  set(key, value2) {
    return clockWith3((clock3) => sync(() => {
      const now = clock3.unsafeCurrentTimeMillis();
      const k = key;
      const lookupResult = succeed2(value2);
      const mapValue = complete2(makeMapKey(k), lookupResult, makeEntryStats(now), now + toMillis(decode(this.timeToLive(lookupResult))));
      set4(this.cacheState.map, k, mapValue);
    }));
  }
  get size() {
    return sync(() => {
      return size4(this.cacheState.map);
    });
  }
  get values() {
    return sync(() => {
      const values3 = [];
      for (const entry of this.cacheState.map) {
        if (entry[1]._tag === "Complete" && entry[1].exit._tag === "Success") {
          values3.push(entry[1].exit.value);
        }
      }
      return values3;
    });
  }
  get entries() {
    return sync(() => {
      const values3 = [];
      for (const entry of this.cacheState.map) {
        if (entry[1]._tag === "Complete" && entry[1].exit._tag === "Success") {
          values3.push([entry[0], entry[1].exit.value]);
        }
      }
      return values3;
    });
  }
  get keys() {
    return sync(() => {
      const keys6 = [];
      for (const entry of this.cacheState.map) {
        if (entry[1]._tag === "Complete" && entry[1].exit._tag === "Success") {
          keys6.push(entry[0]);
        }
      }
      return keys6;
    });
  }
  resolveMapValue(value2, ignorePending = false) {
    return clockWith3((clock3) => {
      switch (value2._tag) {
        case "Complete": {
          this.trackAccess(value2.key);
          if (this.hasExpired(clock3, value2.timeToLiveMillis)) {
            remove5(this.cacheState.map, value2.key.current);
            return succeed(none2());
          }
          this.trackHit();
          return map8(value2.exit, some2);
        }
        case "Pending": {
          this.trackAccess(value2.key);
          this.trackHit();
          if (ignorePending) {
            return succeed(none2());
          }
          return map8(_await(value2.deferred), some2);
        }
        case "Refreshing": {
          this.trackAccess(value2.complete.key);
          this.trackHit();
          if (this.hasExpired(clock3, value2.complete.timeToLiveMillis)) {
            if (ignorePending) {
              return succeed(none2());
            }
            return map8(_await(value2.deferred), some2);
          }
          return map8(value2.complete.exit, some2);
        }
      }
    });
  }
  trackHit() {
    this.cacheState.hits = this.cacheState.hits + 1;
  }
  trackMiss() {
    this.cacheState.misses = this.cacheState.misses + 1;
  }
  trackAccess(key) {
    offer(this.cacheState.accesses, key);
    if (compareAndSet(this.cacheState.updating, false, true)) {
      let loop3 = true;
      while (loop3) {
        const key2 = poll(this.cacheState.accesses, EmptyMutableQueue);
        if (key2 === EmptyMutableQueue) {
          loop3 = false;
        } else {
          this.cacheState.keys.add(key2);
        }
      }
      let size9 = size4(this.cacheState.map);
      loop3 = size9 > this.capacity;
      while (loop3) {
        const key2 = this.cacheState.keys.remove();
        if (key2 !== void 0) {
          if (has4(this.cacheState.map, key2.current)) {
            remove5(this.cacheState.map, key2.current);
            size9 = size9 - 1;
            loop3 = size9 > this.capacity;
          }
        } else {
          loop3 = false;
        }
      }
      set2(this.cacheState.updating, false);
    }
  }
  hasExpired(clock3, timeToLiveMillis) {
    return clock3.unsafeCurrentTimeMillis() > timeToLiveMillis;
  }
  lookupValueOf(input, deferred) {
    return clockWith3((clock3) => suspend(() => {
      const key = input;
      return pipe(this.lookup(input), provideContext(this.context), exit, flatMap7((exit4) => {
        const now = clock3.unsafeCurrentTimeMillis();
        const stats = makeEntryStats(now);
        const value2 = complete2(makeMapKey(key), exit4, stats, now + toMillis(decode(this.timeToLive(exit4))));
        set4(this.cacheState.map, key, value2);
        return zipRight(done2(deferred, exit4), exit4);
      }), onInterrupt(() => zipRight(interrupt3(deferred), sync(() => {
        remove5(this.cacheState.map, key);
      }))));
    }));
  }
};
var unsafeMakeWith = (capacity, lookup, timeToLive) => new CacheImpl(capacity, empty3(), none3, lookup, (exit4) => decode(timeToLive(exit4)));

// node_modules/effect/dist/esm/Effect.js
var Effect_exports = {};
__export(Effect_exports, {
  Do: () => Do2,
  EffectTypeId: () => EffectTypeId3,
  Service: () => Service,
  Tag: () => Tag2,
  acquireRelease: () => acquireRelease2,
  acquireReleaseInterruptible: () => acquireReleaseInterruptible2,
  acquireUseRelease: () => acquireUseRelease2,
  addFinalizer: () => addFinalizer2,
  all: () => all3,
  allSuccesses: () => allSuccesses2,
  allWith: () => allWith2,
  allowInterrupt: () => allowInterrupt2,
  andThen: () => andThen3,
  annotateCurrentSpan: () => annotateCurrentSpan2,
  annotateLogs: () => annotateLogs2,
  annotateLogsScoped: () => annotateLogsScoped2,
  annotateSpans: () => annotateSpans2,
  ap: () => ap,
  as: () => as3,
  asSome: () => asSome2,
  asSomeError: () => asSomeError2,
  asVoid: () => asVoid3,
  async: () => async2,
  asyncEffect: () => asyncEffect2,
  awaitAllChildren: () => awaitAllChildren2,
  bind: () => bind3,
  bindAll: () => bindAll2,
  bindTo: () => bindTo3,
  blocked: () => blocked2,
  cacheRequestResult: () => cacheRequestResult,
  cached: () => cached3,
  cachedFunction: () => cachedFunction2,
  cachedInvalidateWithTTL: () => cachedInvalidateWithTTL2,
  cachedWithTTL: () => cachedWithTTL,
  catch: () => _catch2,
  catchAll: () => catchAll2,
  catchAllCause: () => catchAllCause2,
  catchAllDefect: () => catchAllDefect2,
  catchIf: () => catchIf2,
  catchSome: () => catchSome2,
  catchSomeCause: () => catchSomeCause2,
  catchSomeDefect: () => catchSomeDefect2,
  catchTag: () => catchTag2,
  catchTags: () => catchTags2,
  cause: () => cause2,
  checkInterruptible: () => checkInterruptible2,
  clock: () => clock2,
  clockWith: () => clockWith4,
  configProviderWith: () => configProviderWith2,
  console: () => console3,
  consoleWith: () => consoleWith2,
  context: () => context3,
  contextWith: () => contextWith2,
  contextWithEffect: () => contextWithEffect2,
  currentParentSpan: () => currentParentSpan2,
  currentPropagatedSpan: () => currentPropagatedSpan2,
  currentSpan: () => currentSpan2,
  custom: () => custom2,
  daemonChildren: () => daemonChildren2,
  delay: () => delay2,
  descriptor: () => descriptor2,
  descriptorWith: () => descriptorWith2,
  die: () => die3,
  dieMessage: () => dieMessage2,
  dieSync: () => dieSync2,
  diffFiberRefs: () => diffFiberRefs2,
  disconnect: () => disconnect2,
  dropUntil: () => dropUntil2,
  dropWhile: () => dropWhile2,
  either: () => either3,
  ensureErrorType: () => ensureErrorType,
  ensureRequirementsType: () => ensureRequirementsType,
  ensureSuccessType: () => ensureSuccessType,
  ensuring: () => ensuring2,
  ensuringChild: () => ensuringChild2,
  ensuringChildren: () => ensuringChildren2,
  eventually: () => eventually2,
  every: () => every5,
  exists: () => exists2,
  exit: () => exit3,
  fail: () => fail4,
  failCause: () => failCause4,
  failCauseSync: () => failCauseSync2,
  failSync: () => failSync2,
  fiberId: () => fiberId2,
  fiberIdWith: () => fiberIdWith2,
  filter: () => filter5,
  filterEffectOrElse: () => filterEffectOrElse2,
  filterEffectOrFail: () => filterEffectOrFail2,
  filterMap: () => filterMap4,
  filterOrDie: () => filterOrDie2,
  filterOrDieMessage: () => filterOrDieMessage2,
  filterOrElse: () => filterOrElse2,
  filterOrFail: () => filterOrFail2,
  finalizersMask: () => finalizersMask2,
  findFirst: () => findFirst5,
  firstSuccessOf: () => firstSuccessOf2,
  flatMap: () => flatMap9,
  flatten: () => flatten6,
  flip: () => flip2,
  flipWith: () => flipWith2,
  fn: () => fn,
  fnUntraced: () => fnUntraced2,
  forEach: () => forEach8,
  forever: () => forever3,
  fork: () => fork3,
  forkAll: () => forkAll2,
  forkDaemon: () => forkDaemon2,
  forkIn: () => forkIn2,
  forkScoped: () => forkScoped2,
  forkWithErrorHandler: () => forkWithErrorHandler2,
  fromFiber: () => fromFiber2,
  fromFiberEffect: () => fromFiberEffect2,
  fromNullable: () => fromNullable3,
  functionWithSpan: () => functionWithSpan2,
  gen: () => gen2,
  getFiberRefs: () => getFiberRefs,
  getRuntimeFlags: () => getRuntimeFlags,
  head: () => head4,
  if: () => if_2,
  ignore: () => ignore2,
  ignoreLogged: () => ignoreLogged2,
  inheritFiberRefs: () => inheritFiberRefs2,
  interrupt: () => interrupt4,
  interruptWith: () => interruptWith2,
  interruptible: () => interruptible4,
  interruptibleMask: () => interruptibleMask2,
  intoDeferred: () => intoDeferred2,
  isEffect: () => isEffect2,
  isFailure: () => isFailure2,
  isSuccess: () => isSuccess2,
  iterate: () => iterate2,
  labelMetrics: () => labelMetrics2,
  labelMetricsScoped: () => labelMetricsScoped2,
  let: () => let_3,
  liftPredicate: () => liftPredicate2,
  linkSpanCurrent: () => linkSpanCurrent2,
  linkSpans: () => linkSpans2,
  locally: () => locally,
  locallyScoped: () => locallyScoped,
  locallyScopedWith: () => locallyScopedWith,
  locallyWith: () => locallyWith,
  log: () => log2,
  logAnnotations: () => logAnnotations2,
  logDebug: () => logDebug2,
  logError: () => logError2,
  logFatal: () => logFatal2,
  logInfo: () => logInfo2,
  logTrace: () => logTrace2,
  logWarning: () => logWarning2,
  logWithLevel: () => logWithLevel2,
  loop: () => loop2,
  makeLatch: () => makeLatch2,
  makeSemaphore: () => makeSemaphore2,
  makeSpan: () => makeSpan2,
  makeSpanScoped: () => makeSpanScoped2,
  map: () => map11,
  mapAccum: () => mapAccum3,
  mapBoth: () => mapBoth2,
  mapError: () => mapError2,
  mapErrorCause: () => mapErrorCause2,
  mapInputContext: () => mapInputContext2,
  match: () => match9,
  matchCause: () => matchCause3,
  matchCauseEffect: () => matchCauseEffect3,
  matchEffect: () => matchEffect2,
  merge: () => merge6,
  mergeAll: () => mergeAll5,
  metricLabels: () => metricLabels2,
  negate: () => negate2,
  never: () => never2,
  none: () => none9,
  onError: () => onError2,
  onExit: () => onExit3,
  onInterrupt: () => onInterrupt2,
  once: () => once3,
  option: () => option2,
  optionFromOptional: () => optionFromOptional2,
  orDie: () => orDie2,
  orDieWith: () => orDieWith2,
  orElse: () => orElse2,
  orElseFail: () => orElseFail2,
  orElseSucceed: () => orElseSucceed2,
  parallelErrors: () => parallelErrors2,
  parallelFinalizers: () => parallelFinalizers2,
  partition: () => partition4,
  patchFiberRefs: () => patchFiberRefs2,
  patchRuntimeFlags: () => patchRuntimeFlags,
  promise: () => promise2,
  provide: () => provide2,
  provideService: () => provideService2,
  provideServiceEffect: () => provideServiceEffect2,
  race: () => race2,
  raceAll: () => raceAll2,
  raceFirst: () => raceFirst2,
  raceWith: () => raceWith2,
  random: () => random3,
  randomWith: () => randomWith2,
  reduce: () => reduce10,
  reduceEffect: () => reduceEffect2,
  reduceRight: () => reduceRight3,
  reduceWhile: () => reduceWhile2,
  repeat: () => repeat,
  repeatN: () => repeatN2,
  repeatOrElse: () => repeatOrElse,
  replicate: () => replicate2,
  replicateEffect: () => replicateEffect2,
  request: () => request,
  retry: () => retry,
  retryOrElse: () => retryOrElse,
  runCallback: () => runCallback,
  runFork: () => runFork2,
  runPromise: () => runPromise,
  runPromiseExit: () => runPromiseExit,
  runRequestBlock: () => runRequestBlock2,
  runSync: () => runSync,
  runSyncExit: () => runSyncExit,
  runtime: () => runtime3,
  sandbox: () => sandbox2,
  schedule: () => schedule,
  scheduleForked: () => scheduleForked2,
  scheduleFrom: () => scheduleFrom,
  scope: () => scope2,
  scopeWith: () => scopeWith2,
  scoped: () => scoped2,
  scopedWith: () => scopedWith2,
  sequentialFinalizers: () => sequentialFinalizers2,
  serviceConstants: () => serviceConstants2,
  serviceFunction: () => serviceFunction2,
  serviceFunctionEffect: () => serviceFunctionEffect2,
  serviceFunctions: () => serviceFunctions2,
  serviceMembers: () => serviceMembers2,
  serviceOption: () => serviceOption2,
  serviceOptional: () => serviceOptional2,
  setFiberRefs: () => setFiberRefs2,
  sleep: () => sleep4,
  spanAnnotations: () => spanAnnotations2,
  spanLinks: () => spanLinks2,
  step: () => step3,
  succeed: () => succeed6,
  succeedNone: () => succeedNone2,
  succeedSome: () => succeedSome2,
  summarized: () => summarized2,
  supervised: () => supervised2,
  suspend: () => suspend4,
  sync: () => sync4,
  tagMetrics: () => tagMetrics2,
  tagMetricsScoped: () => tagMetricsScoped2,
  takeUntil: () => takeUntil2,
  takeWhile: () => takeWhile2,
  tap: () => tap2,
  tapBoth: () => tapBoth2,
  tapDefect: () => tapDefect2,
  tapError: () => tapError2,
  tapErrorCause: () => tapErrorCause2,
  tapErrorTag: () => tapErrorTag2,
  timed: () => timed2,
  timedWith: () => timedWith2,
  timeout: () => timeout2,
  timeoutFail: () => timeoutFail2,
  timeoutFailCause: () => timeoutFailCause2,
  timeoutOption: () => timeoutOption2,
  timeoutTo: () => timeoutTo2,
  tracer: () => tracer2,
  tracerWith: () => tracerWith4,
  transplant: () => transplant2,
  transposeMapOption: () => transposeMapOption,
  transposeOption: () => transposeOption,
  try: () => try_2,
  tryMap: () => tryMap2,
  tryMapPromise: () => tryMapPromise2,
  tryPromise: () => tryPromise2,
  uninterruptible: () => uninterruptible2,
  uninterruptibleMask: () => uninterruptibleMask3,
  unless: () => unless2,
  unlessEffect: () => unlessEffect2,
  unsafeMakeLatch: () => unsafeMakeLatch2,
  unsafeMakeSemaphore: () => unsafeMakeSemaphore2,
  unsandbox: () => unsandbox2,
  updateFiberRefs: () => updateFiberRefs2,
  updateService: () => updateService2,
  useSpan: () => useSpan2,
  using: () => using2,
  validate: () => validate2,
  validateAll: () => validateAll2,
  validateFirst: () => validateFirst2,
  validateWith: () => validateWith2,
  void: () => _void,
  when: () => when2,
  whenEffect: () => whenEffect2,
  whenFiberRef: () => whenFiberRef2,
  whenLogLevel: () => whenLogLevel2,
  whenRef: () => whenRef2,
  whileLoop: () => whileLoop3,
  withClock: () => withClock2,
  withClockScoped: () => withClockScoped2,
  withConcurrency: () => withConcurrency2,
  withConfigProvider: () => withConfigProvider2,
  withConfigProviderScoped: () => withConfigProviderScoped2,
  withConsole: () => withConsole2,
  withConsoleScoped: () => withConsoleScoped2,
  withEarlyRelease: () => withEarlyRelease2,
  withExecutionPlan: () => withExecutionPlan2,
  withFiberRuntime: () => withFiberRuntime2,
  withLogSpan: () => withLogSpan2,
  withMaxOpsBeforeYield: () => withMaxOpsBeforeYield2,
  withMetric: () => withMetric2,
  withParentSpan: () => withParentSpan2,
  withRandom: () => withRandom2,
  withRandomFixed: () => withRandomFixed,
  withRandomScoped: () => withRandomScoped2,
  withRequestBatching: () => withRequestBatching2,
  withRequestCache: () => withRequestCache2,
  withRequestCaching: () => withRequestCaching2,
  withRuntimeFlagsPatch: () => withRuntimeFlagsPatch,
  withRuntimeFlagsPatchScoped: () => withRuntimeFlagsPatchScoped,
  withScheduler: () => withScheduler2,
  withSchedulingPriority: () => withSchedulingPriority2,
  withSpan: () => withSpan2,
  withSpanScoped: () => withSpanScoped2,
  withTracer: () => withTracer2,
  withTracerEnabled: () => withTracerEnabled2,
  withTracerScoped: () => withTracerScoped2,
  withTracerTiming: () => withTracerTiming2,
  withUnhandledErrorLogLevel: () => withUnhandledErrorLogLevel2,
  yieldNow: () => yieldNow4,
  zip: () => zip4,
  zipLeft: () => zipLeft2,
  zipRight: () => zipRight2,
  zipWith: () => zipWith3
});

// node_modules/effect/dist/esm/internal/schedule/interval.js
var IntervalSymbolKey = "effect/ScheduleInterval";
var IntervalTypeId = /* @__PURE__ */ Symbol.for(IntervalSymbolKey);
var empty26 = {
  [IntervalTypeId]: IntervalTypeId,
  startMillis: 0,
  endMillis: 0
};
var make34 = (startMillis, endMillis) => {
  if (startMillis > endMillis) {
    return empty26;
  }
  return {
    [IntervalTypeId]: IntervalTypeId,
    startMillis,
    endMillis
  };
};
var lessThan2 = /* @__PURE__ */ dual(2, (self, that) => min2(self, that) === self);
var min2 = /* @__PURE__ */ dual(2, (self, that) => {
  if (self.endMillis <= that.startMillis) return self;
  if (that.endMillis <= self.startMillis) return that;
  if (self.startMillis < that.startMillis) return self;
  if (that.startMillis < self.startMillis) return that;
  if (self.endMillis <= that.endMillis) return self;
  return that;
});
var isEmpty7 = (self) => {
  return self.startMillis >= self.endMillis;
};
var intersect = /* @__PURE__ */ dual(2, (self, that) => {
  const start3 = Math.max(self.startMillis, that.startMillis);
  const end3 = Math.min(self.endMillis, that.endMillis);
  return make34(start3, end3);
});
var after = (startMilliseconds) => {
  return make34(startMilliseconds, Number.POSITIVE_INFINITY);
};

// node_modules/effect/dist/esm/ScheduleInterval.js
var empty27 = empty26;
var lessThan3 = lessThan2;
var isEmpty8 = isEmpty7;
var intersect2 = intersect;
var after2 = after;

// node_modules/effect/dist/esm/internal/schedule/intervals.js
var IntervalsSymbolKey = "effect/ScheduleIntervals";
var IntervalsTypeId = /* @__PURE__ */ Symbol.for(IntervalsSymbolKey);
var make36 = (intervals) => {
  return {
    [IntervalsTypeId]: IntervalsTypeId,
    intervals
  };
};
var intersect3 = /* @__PURE__ */ dual(2, (self, that) => intersectLoop(self.intervals, that.intervals, empty4()));
var intersectLoop = (_left, _right, _acc) => {
  let left3 = _left;
  let right3 = _right;
  let acc = _acc;
  while (isNonEmpty(left3) && isNonEmpty(right3)) {
    const interval = pipe(headNonEmpty2(left3), intersect2(headNonEmpty2(right3)));
    const intervals = isEmpty8(interval) ? acc : pipe(acc, prepend2(interval));
    if (pipe(headNonEmpty2(left3), lessThan3(headNonEmpty2(right3)))) {
      left3 = tailNonEmpty2(left3);
    } else {
      right3 = tailNonEmpty2(right3);
    }
    acc = intervals;
  }
  return make36(reverse2(acc));
};
var start = (self) => {
  return pipe(self.intervals, head2, getOrElse(() => empty27)).startMillis;
};
var end = (self) => {
  return pipe(self.intervals, head2, getOrElse(() => empty27)).endMillis;
};
var lessThan4 = /* @__PURE__ */ dual(2, (self, that) => start(self) < start(that));
var isNonEmpty3 = (self) => {
  return isNonEmpty(self.intervals);
};

// node_modules/effect/dist/esm/ScheduleIntervals.js
var make37 = make36;
var intersect4 = intersect3;
var start2 = start;
var end2 = end;
var lessThan5 = lessThan4;
var isNonEmpty4 = isNonEmpty3;

// node_modules/effect/dist/esm/internal/schedule/decision.js
var OP_CONTINUE = "Continue";
var OP_DONE2 = "Done";
var _continue = (intervals) => {
  return {
    _tag: OP_CONTINUE,
    intervals
  };
};
var continueWith = (interval) => {
  return {
    _tag: OP_CONTINUE,
    intervals: make37(of2(interval))
  };
};
var done5 = {
  _tag: OP_DONE2
};
var isContinue = (self) => {
  return self._tag === OP_CONTINUE;
};
var isDone3 = (self) => {
  return self._tag === OP_DONE2;
};

// node_modules/effect/dist/esm/ScheduleDecision.js
var _continue2 = _continue;
var continueWith2 = continueWith;
var done6 = done5;
var isContinue2 = isContinue;
var isDone4 = isDone3;

// node_modules/effect/dist/esm/Scope.js
var close = scopeClose;
var fork2 = scopeFork;

// node_modules/effect/dist/esm/internal/effect/circular.js
var Semaphore = class {
  permits;
  waiters = /* @__PURE__ */ new Set();
  taken = 0;
  constructor(permits) {
    this.permits = permits;
  }
  get free() {
    return this.permits - this.taken;
  }
  take = (n) => asyncInterrupt((resume2) => {
    if (this.free < n) {
      const observer = () => {
        if (this.free < n) return;
        this.waiters.delete(observer);
        resume2(suspend(() => {
          if (this.free < n) return this.take(n);
          this.taken += n;
          return succeed(n);
        }));
      };
      this.waiters.add(observer);
      return sync(() => {
        this.waiters.delete(observer);
      });
    }
    resume2(suspend(() => {
      if (this.free < n) return this.take(n);
      this.taken += n;
      return succeed(n);
    }));
  });
  updateTakenUnsafe(fiber, f) {
    this.taken = f(this.taken);
    if (this.waiters.size > 0) {
      fiber.getFiberRef(currentScheduler).scheduleTask(() => {
        const iter = this.waiters.values();
        let item = iter.next();
        while (item.done === false && this.free > 0) {
          item.value();
          item = iter.next();
        }
      }, fiber.getFiberRef(currentSchedulingPriority), fiber);
    }
    return succeed(this.free);
  }
  updateTaken(f) {
    return withFiberRuntime((fiber) => this.updateTakenUnsafe(fiber, f));
  }
  resize = (permits) => asVoid(withFiberRuntime((fiber) => {
    this.permits = permits;
    if (this.free < 0) {
      return void_;
    }
    return this.updateTakenUnsafe(fiber, (taken) => taken);
  }));
  release = (n) => this.updateTaken((taken) => taken - n);
  releaseAll = /* @__PURE__ */ this.updateTaken((_) => 0);
  withPermits = (n) => (self) => uninterruptibleMask((restore) => flatMap7(restore(this.take(n)), (permits) => ensuring(restore(self), this.release(permits))));
  withPermitsIfAvailable = (n) => (self) => uninterruptibleMask((restore) => suspend(() => {
    if (this.free < n) {
      return succeedNone;
    }
    this.taken += n;
    return ensuring(restore(asSome(self)), this.release(n));
  }));
};
var unsafeMakeSemaphore = (permits) => new Semaphore(permits);
var makeSemaphore = (permits) => sync(() => unsafeMakeSemaphore(permits));
var Latch = class extends Class2 {
  isOpen;
  waiters = [];
  scheduled = false;
  constructor(isOpen) {
    super();
    this.isOpen = isOpen;
  }
  commit() {
    return this.await;
  }
  unsafeSchedule(fiber) {
    if (this.scheduled || this.waiters.length === 0) {
      return void_;
    }
    this.scheduled = true;
    fiber.currentScheduler.scheduleTask(this.flushWaiters, fiber.getFiberRef(currentSchedulingPriority), fiber);
    return void_;
  }
  flushWaiters = () => {
    this.scheduled = false;
    const waiters = this.waiters;
    this.waiters = [];
    for (let i = 0; i < waiters.length; i++) {
      waiters[i](exitVoid);
    }
  };
  open = /* @__PURE__ */ withFiberRuntime((fiber) => {
    if (this.isOpen) {
      return void_;
    }
    this.isOpen = true;
    return this.unsafeSchedule(fiber);
  });
  unsafeOpen() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.flushWaiters();
  }
  release = /* @__PURE__ */ withFiberRuntime((fiber) => {
    if (this.isOpen) {
      return void_;
    }
    return this.unsafeSchedule(fiber);
  });
  await = /* @__PURE__ */ asyncInterrupt((resume2) => {
    if (this.isOpen) {
      return resume2(void_);
    }
    this.waiters.push(resume2);
    return sync(() => {
      const index = this.waiters.indexOf(resume2);
      if (index !== -1) {
        this.waiters.splice(index, 1);
      }
    });
  });
  unsafeClose() {
    this.isOpen = false;
  }
  close = /* @__PURE__ */ sync(() => {
    this.isOpen = false;
  });
  whenOpen = (self) => {
    return zipRight(this.await, self);
  };
};
var unsafeMakeLatch = (open11) => new Latch(open11 ?? false);
var makeLatch = (open11) => sync(() => unsafeMakeLatch(open11));
var awaitAllChildren = (self) => ensuringChildren(self, fiberAwaitAll);
var cached2 = /* @__PURE__ */ dual(2, (self, timeToLive) => map8(cachedInvalidateWithTTL(self, timeToLive), (tuple) => tuple[0]));
var cachedInvalidateWithTTL = /* @__PURE__ */ dual(2, (self, timeToLive) => {
  const duration = decode(timeToLive);
  return flatMap7(context(), (env) => map8(makeSynchronized(none2()), (cache) => [provideContext(getCachedValue(self, duration, cache), env), invalidateCache(cache)]));
});
var computeCachedValue = (self, timeToLive, start3) => {
  const timeToLiveMillis = toMillis(decode(timeToLive));
  return pipe(deferredMake(), tap((deferred) => intoDeferred(self, deferred)), map8((deferred) => some2([start3 + timeToLiveMillis, deferred])));
};
var getCachedValue = (self, timeToLive, cache) => pipe(clockWith3((clock3) => clock3.currentTimeMillis), flatMap7((time) => updateSomeAndGetEffectSynchronized(cache, (option3) => {
  switch (option3._tag) {
    case "None": {
      return some2(computeCachedValue(self, timeToLive, time));
    }
    case "Some": {
      const [end3] = option3.value;
      return end3 - time <= 0 ? some2(computeCachedValue(self, timeToLive, time)) : none2();
    }
  }
})), flatMap7((option3) => isNone2(option3) ? dieMessage("BUG: Effect.cachedInvalidate - please report an issue at https://github.com/Effect-TS/effect/issues") : deferredAwait(option3.value[1])));
var invalidateCache = (cache) => set5(cache, none2());
var ensuringChild = /* @__PURE__ */ dual(2, (self, f) => ensuringChildren(self, (children) => f(fiberAll(children))));
var ensuringChildren = /* @__PURE__ */ dual(2, (self, children) => flatMap7(track, (supervisor) => pipe(supervised(self, supervisor), ensuring(flatMap7(supervisor.value, children)))));
var forkAll = /* @__PURE__ */ dual((args2) => isIterable(args2[0]), (effects, options) => options?.discard ? forEachSequentialDiscard(effects, fork) : map8(forEachSequential(effects, fork), fiberAll));
var forkIn = /* @__PURE__ */ dual(2, (self, scope3) => withFiberRuntime((parent, parentStatus) => {
  const scopeImpl = scope3;
  const fiber = unsafeFork2(self, parent, parentStatus.runtimeFlags, globalScope);
  if (scopeImpl.state._tag === "Open") {
    const finalizer = () => fiberIdWith((fiberId3) => equals(fiberId3, fiber.id()) ? void_ : asVoid(interruptFiber(fiber)));
    const key = {};
    scopeImpl.state.finalizers.set(key, finalizer);
    fiber.addObserver(() => {
      if (scopeImpl.state._tag === "Closed") return;
      scopeImpl.state.finalizers.delete(key);
    });
  } else {
    fiber.unsafeInterruptAsFork(parent.id());
  }
  return succeed(fiber);
}));
var forkScoped = (self) => scopeWith((scope3) => forkIn(self, scope3));
var fromFiber = (fiber) => join2(fiber);
var fromFiberEffect = (fiber) => suspend(() => flatMap7(fiber, join2));
var memoKeySymbol = /* @__PURE__ */ Symbol.for("effect/Effect/memoizeFunction.key");
var Key = class {
  a;
  eq;
  [memoKeySymbol] = memoKeySymbol;
  constructor(a, eq) {
    this.a = a;
    this.eq = eq;
  }
  [symbol2](that) {
    if (hasProperty(that, memoKeySymbol)) {
      if (this.eq) {
        return this.eq(this.a, that.a);
      } else {
        return equals(this.a, that.a);
      }
    }
    return false;
  }
  [symbol]() {
    return this.eq ? 0 : cached(this, hash(this.a));
  }
};
var cachedFunction = (f, eq) => {
  return pipe(sync(() => empty17()), flatMap7(makeSynchronized), map8((ref) => (a) => pipe(ref.modifyEffect((map12) => {
    const result = pipe(map12, get8(new Key(a, eq)));
    if (isNone2(result)) {
      return pipe(deferredMake(), tap((deferred) => pipe(diffFiberRefs(f(a)), intoDeferred(deferred), fork)), map8((deferred) => [deferred, pipe(map12, set4(new Key(a, eq), deferred))]));
    }
    return succeed([result.value, map12]);
  }), flatMap7(deferredAwait), flatMap7(([patch9, b]) => pipe(patchFiberRefs(patch9), as(b))))));
};
var raceFirst = /* @__PURE__ */ dual(2, (self, that) => pipe(exit(self), race(exit(that)), (effect) => flatten4(effect)));
var supervised = /* @__PURE__ */ dual(2, (self, supervisor) => {
  const supervise = fiberRefLocallyWith(currentSupervisor, (s) => s.zip(supervisor));
  return supervise(self);
});
var timeout = /* @__PURE__ */ dual(2, (self, duration) => timeoutFail(self, {
  onTimeout: () => timeoutExceptionFromDuration(duration),
  duration
}));
var timeoutFail = /* @__PURE__ */ dual(2, (self, {
  duration,
  onTimeout
}) => flatten4(timeoutTo(self, {
  onTimeout: () => failSync(onTimeout),
  onSuccess: succeed,
  duration
})));
var timeoutFailCause = /* @__PURE__ */ dual(2, (self, {
  duration,
  onTimeout
}) => flatten4(timeoutTo(self, {
  onTimeout: () => failCauseSync(onTimeout),
  onSuccess: succeed,
  duration
})));
var timeoutOption = /* @__PURE__ */ dual(2, (self, duration) => timeoutTo(self, {
  duration,
  onSuccess: some2,
  onTimeout: none2
}));
var timeoutTo = /* @__PURE__ */ dual(2, (self, {
  duration,
  onSuccess,
  onTimeout
}) => fiberIdWith((parentFiberId) => uninterruptibleMask((restore) => raceFibersWith(exit(restore(self)), interruptible2(sleep3(duration)), {
  onSelfWin: (winner, loser) => flatMap7(winner.await, (exit4) => {
    const selfExit = exitFlatten(exit4);
    if (selfExit._tag === "Success") {
      return flatMap7(winner.inheritAll, () => as(interruptAsFiber(loser, parentFiberId), onSuccess(selfExit.value)));
    } else {
      return flatMap7(interruptAsFiber(loser, parentFiberId), () => exitFailCause(selfExit.cause));
    }
  }),
  onOtherWin: (winner, loser) => flatMap7(winner.await, (exit4) => {
    if (exit4._tag === "Success") {
      return flatMap7(winner.inheritAll, () => as(interruptAsFiber(loser, parentFiberId), onTimeout()));
    } else {
      return flatMap7(interruptAsFiber(loser, parentFiberId), () => exitFailCause(exit4.cause));
    }
  }),
  otherScope: globalScope
}))));
var SynchronizedSymbolKey = "effect/Ref/SynchronizedRef";
var SynchronizedTypeId = /* @__PURE__ */ Symbol.for(SynchronizedSymbolKey);
var synchronizedVariance = {
  /* c8 ignore next */
  _A: (_) => _
};
var SynchronizedImpl = class extends Class2 {
  ref;
  withLock;
  [SynchronizedTypeId] = synchronizedVariance;
  [RefTypeId] = refVariance;
  [TypeId12] = TypeId12;
  constructor(ref, withLock) {
    super();
    this.ref = ref;
    this.withLock = withLock;
    this.get = get11(this.ref);
  }
  get;
  commit() {
    return this.get;
  }
  modify(f) {
    return this.modifyEffect((a) => succeed(f(a)));
  }
  modifyEffect(f) {
    return this.withLock(pipe(flatMap7(get11(this.ref), f), flatMap7(([b, a]) => as(set5(this.ref, a), b))));
  }
};
var makeSynchronized = (value2) => sync(() => unsafeMakeSynchronized(value2));
var unsafeMakeSynchronized = (value2) => {
  const ref = unsafeMake5(value2);
  const sem = unsafeMakeSemaphore(1);
  return new SynchronizedImpl(ref, sem.withPermits(1));
};
var updateSomeAndGetEffectSynchronized = /* @__PURE__ */ dual(2, (self, pf) => self.modifyEffect((value2) => {
  const result = pf(value2);
  switch (result._tag) {
    case "None": {
      return succeed([value2, value2]);
    }
    case "Some": {
      return map8(result.value, (a) => [a, a]);
    }
  }
}));
var bindAll = /* @__PURE__ */ dual((args2) => isEffect(args2[0]), (self, f, options) => flatMap7(self, (a) => all2(f(a), options).pipe(map8((record2) => Object.assign({}, a, record2)))));

// node_modules/effect/dist/esm/internal/managedRuntime/circular.js
var TypeId15 = /* @__PURE__ */ Symbol.for("effect/ManagedRuntime");

// node_modules/effect/dist/esm/internal/opCodes/layer.js
var OP_FRESH = "Fresh";
var OP_FROM_EFFECT = "FromEffect";
var OP_SCOPED = "Scoped";
var OP_SUSPEND = "Suspend";
var OP_PROVIDE = "Provide";
var OP_PROVIDE_MERGE = "ProvideMerge";
var OP_MERGE_ALL = "MergeAll";

// node_modules/effect/dist/esm/Fiber.js
var interruptAs = interruptAsFiber;

// node_modules/effect/dist/esm/internal/runtime.js
var makeDual = (f) => function() {
  if (arguments.length === 1) {
    const runtime4 = arguments[0];
    return (effect, ...args2) => f(runtime4, effect, ...args2);
  }
  return f.apply(this, arguments);
};
var unsafeFork3 = /* @__PURE__ */ makeDual((runtime4, self, options) => {
  const fiberId3 = unsafeMake2();
  const fiberRefUpdates = [[currentContext, [[fiberId3, runtime4.context]]]];
  if (options?.scheduler) {
    fiberRefUpdates.push([currentScheduler, [[fiberId3, options.scheduler]]]);
  }
  let fiberRefs3 = updateManyAs2(runtime4.fiberRefs, {
    entries: fiberRefUpdates,
    forkAs: fiberId3
  });
  if (options?.updateRefs) {
    fiberRefs3 = options.updateRefs(fiberRefs3, fiberId3);
  }
  const fiberRuntime = new FiberRuntime(fiberId3, fiberRefs3, runtime4.runtimeFlags);
  let effect = self;
  if (options?.scope) {
    effect = flatMap7(fork2(options.scope, sequential2), (closeableScope) => zipRight(scopeAddFinalizer(closeableScope, fiberIdWith((id) => equals(id, fiberRuntime.id()) ? void_ : interruptAsFiber(fiberRuntime, id))), onExit(self, (exit4) => close(closeableScope, exit4))));
  }
  const supervisor = fiberRuntime.currentSupervisor;
  if (supervisor !== none8) {
    supervisor.onStart(runtime4.context, effect, none2(), fiberRuntime);
    fiberRuntime.addObserver((exit4) => supervisor.onEnd(exit4, fiberRuntime));
  }
  globalScope.add(runtime4.runtimeFlags, fiberRuntime);
  if (options?.immediate === false) {
    fiberRuntime.resume(effect);
  } else {
    fiberRuntime.start(effect);
  }
  return fiberRuntime;
});
var unsafeRunCallback = /* @__PURE__ */ makeDual((runtime4, effect, options = {}) => {
  const fiberRuntime = unsafeFork3(runtime4, effect, options);
  if (options.onExit) {
    fiberRuntime.addObserver((exit4) => {
      options.onExit(exit4);
    });
  }
  return (id, cancelOptions) => unsafeRunCallback(runtime4)(pipe(fiberRuntime, interruptAs(id ?? none4)), {
    ...cancelOptions,
    onExit: cancelOptions?.onExit ? (exit4) => cancelOptions.onExit(flatten5(exit4)) : void 0
  });
});
var unsafeRunSync = /* @__PURE__ */ makeDual((runtime4, effect) => {
  const result = unsafeRunSyncExit(runtime4)(effect);
  if (result._tag === "Failure") {
    throw fiberFailure(result.effect_instruction_i0);
  }
  return result.effect_instruction_i0;
});
var AsyncFiberExceptionImpl = class extends Error {
  fiber;
  _tag = "AsyncFiberException";
  constructor(fiber) {
    super(`Fiber #${fiber.id().id} cannot be resolved synchronously. This is caused by using runSync on an effect that performs async work`);
    this.fiber = fiber;
    this.name = this._tag;
    this.stack = this.message;
  }
};
var asyncFiberException = (fiber) => {
  const limit = getStackTraceLimit();
  setStackTraceLimit(0);
  const error2 = new AsyncFiberExceptionImpl(fiber);
  setStackTraceLimit(limit);
  return error2;
};
var FiberFailureId = /* @__PURE__ */ Symbol.for("effect/Runtime/FiberFailure");
var FiberFailureCauseId = /* @__PURE__ */ Symbol.for("effect/Runtime/FiberFailure/Cause");
var FiberFailureImpl = class extends Error {
  [FiberFailureId];
  [FiberFailureCauseId];
  constructor(cause3) {
    const head5 = prettyErrors(cause3)[0];
    super(head5?.message || "An error has occurred");
    this[FiberFailureId] = FiberFailureId;
    this[FiberFailureCauseId] = cause3;
    this.name = head5 ? `(FiberFailure) ${head5.name}` : "FiberFailure";
    if (head5?.stack) {
      this.stack = head5.stack;
    }
  }
  toJSON() {
    return {
      _id: "FiberFailure",
      cause: this[FiberFailureCauseId].toJSON()
    };
  }
  toString() {
    return "(FiberFailure) " + pretty(this[FiberFailureCauseId], {
      renderErrorCause: true
    });
  }
  [NodeInspectSymbol]() {
    return this.toString();
  }
};
var fiberFailure = (cause3) => {
  const limit = getStackTraceLimit();
  setStackTraceLimit(0);
  const error2 = new FiberFailureImpl(cause3);
  setStackTraceLimit(limit);
  return error2;
};
var fastPath = (effect) => {
  const op = effect;
  switch (op._op) {
    case "Failure":
    case "Success": {
      return op;
    }
    case "Left": {
      return exitFail(op.left);
    }
    case "Right": {
      return exitSucceed(op.right);
    }
    case "Some": {
      return exitSucceed(op.value);
    }
    case "None": {
      return exitFail(new NoSuchElementException());
    }
  }
};
var unsafeRunSyncExit = /* @__PURE__ */ makeDual((runtime4, effect) => {
  const op = fastPath(effect);
  if (op) {
    return op;
  }
  const scheduler = new SyncScheduler();
  const fiberRuntime = unsafeFork3(runtime4)(effect, {
    scheduler
  });
  scheduler.flush();
  const result = fiberRuntime.unsafePoll();
  if (result) {
    return result;
  }
  return exitDie(capture(asyncFiberException(fiberRuntime), currentSpanFromFiber(fiberRuntime)));
});
var unsafeRunPromise = /* @__PURE__ */ makeDual((runtime4, effect, options) => unsafeRunPromiseExit(runtime4, effect, options).then((result) => {
  switch (result._tag) {
    case OP_SUCCESS: {
      return result.effect_instruction_i0;
    }
    case OP_FAILURE: {
      throw fiberFailure(result.effect_instruction_i0);
    }
  }
}));
var unsafeRunPromiseExit = /* @__PURE__ */ makeDual((runtime4, effect, options) => new Promise((resolve7) => {
  const op = fastPath(effect);
  if (op) {
    resolve7(op);
  }
  const fiber = unsafeFork3(runtime4)(effect);
  fiber.addObserver((exit4) => {
    resolve7(exit4);
  });
  if (options?.signal !== void 0) {
    if (options.signal.aborted) {
      fiber.unsafeInterruptAsFork(fiber.id());
    } else {
      const signal = options.signal;
      const onAbort = () => {
        fiber.unsafeInterruptAsFork(fiber.id());
      };
      signal.addEventListener("abort", onAbort, {
        once: true
      });
      fiber.addObserver(() => {
        signal.removeEventListener("abort", onAbort);
      });
    }
  }
}));
var RuntimeImpl = class {
  context;
  runtimeFlags;
  fiberRefs;
  constructor(context4, runtimeFlags2, fiberRefs3) {
    this.context = context4;
    this.runtimeFlags = runtimeFlags2;
    this.fiberRefs = fiberRefs3;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var make38 = (options) => new RuntimeImpl(options.context, options.runtimeFlags, options.fiberRefs);
var runtime2 = () => withFiberRuntime((state, status) => succeed(new RuntimeImpl(state.getFiberRef(currentContext), status.runtimeFlags, state.getFiberRefs())));
var defaultRuntimeFlags = /* @__PURE__ */ make16(Interruption, CooperativeYielding, RuntimeMetrics);
var defaultRuntime = /* @__PURE__ */ make38({
  context: /* @__PURE__ */ empty3(),
  runtimeFlags: defaultRuntimeFlags,
  fiberRefs: /* @__PURE__ */ empty21()
});
var unsafeRunEffect = /* @__PURE__ */ unsafeRunCallback(defaultRuntime);
var unsafeForkEffect = /* @__PURE__ */ unsafeFork3(defaultRuntime);
var unsafeRunPromiseEffect = /* @__PURE__ */ unsafeRunPromise(defaultRuntime);
var unsafeRunPromiseExitEffect = /* @__PURE__ */ unsafeRunPromiseExit(defaultRuntime);
var unsafeRunSyncEffect = /* @__PURE__ */ unsafeRunSync(defaultRuntime);
var unsafeRunSyncExitEffect = /* @__PURE__ */ unsafeRunSyncExit(defaultRuntime);
var asyncEffect = (register) => suspend(() => {
  let cleanup = void 0;
  return flatMap7(deferredMake(), (deferred) => flatMap7(runtime2(), (runtime4) => uninterruptibleMask((restore) => zipRight(fork(restore(matchCauseEffect(register((cb) => unsafeRunCallback(runtime4)(intoDeferred(cb, deferred))), {
    onFailure: (cause3) => deferredFailCause(deferred, cause3),
    onSuccess: (cleanup_) => {
      cleanup = cleanup_;
      return void_;
    }
  }))), restore(onInterrupt(deferredAwait(deferred), () => cleanup ?? void_))))));
});

// node_modules/effect/dist/esm/internal/synchronizedRef.js
var modifyEffect = /* @__PURE__ */ dual(2, (self, f) => self.modifyEffect(f));

// node_modules/effect/dist/esm/internal/layer.js
var LayerSymbolKey = "effect/Layer";
var LayerTypeId = /* @__PURE__ */ Symbol.for(LayerSymbolKey);
var layerVariance = {
  /* c8 ignore next */
  _RIn: (_) => _,
  /* c8 ignore next */
  _E: (_) => _,
  /* c8 ignore next */
  _ROut: (_) => _
};
var proto3 = {
  [LayerTypeId]: layerVariance,
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var MemoMapTypeIdKey = "effect/Layer/MemoMap";
var MemoMapTypeId = /* @__PURE__ */ Symbol.for(MemoMapTypeIdKey);
var CurrentMemoMap = /* @__PURE__ */ Reference2()("effect/Layer/CurrentMemoMap", {
  defaultValue: () => unsafeMakeMemoMap()
});
var isLayer = (u) => hasProperty(u, LayerTypeId);
var isFresh = (self) => {
  return self._op_layer === OP_FRESH;
};
var MemoMapImpl = class {
  ref;
  [MemoMapTypeId];
  constructor(ref) {
    this.ref = ref;
    this[MemoMapTypeId] = MemoMapTypeId;
  }
  /**
   * Checks the memo map to see if a layer exists. If it is, immediately
   * returns it. Otherwise, obtains the layer, stores it in the memo map,
   * and adds a finalizer to the `Scope`.
   */
  getOrElseMemoize(layer3, scope3) {
    return pipe(modifyEffect(this.ref, (map12) => {
      const inMap = map12.get(layer3);
      if (inMap !== void 0) {
        const [acquire, release2] = inMap;
        const cached4 = pipe(acquire, flatMap7(([patch9, b]) => pipe(patchFiberRefs(patch9), as(b))), onExit(exitMatch({
          onFailure: () => void_,
          onSuccess: () => scopeAddFinalizerExit(scope3, release2)
        })));
        return succeed([cached4, map12]);
      }
      return pipe(make26(0), flatMap7((observers) => pipe(deferredMake(), flatMap7((deferred) => pipe(make26(() => void_), map8((finalizerRef) => {
        const resource = uninterruptibleMask((restore) => pipe(scopeMake(), flatMap7((innerScope) => pipe(restore(flatMap7(makeBuilder(layer3, innerScope, true), (f) => diffFiberRefs(f(this)))), exit, flatMap7((exit4) => {
          switch (exit4._tag) {
            case OP_FAILURE: {
              return pipe(deferredFailCause(deferred, exit4.effect_instruction_i0), zipRight(scopeClose(innerScope, exit4)), zipRight(failCause(exit4.effect_instruction_i0)));
            }
            case OP_SUCCESS: {
              return pipe(set5(finalizerRef, (exit5) => pipe(scopeClose(innerScope, exit5), whenEffect(modify3(observers, (n) => [n === 1, n - 1])), asVoid)), zipRight(update2(observers, (n) => n + 1)), zipRight(scopeAddFinalizerExit(scope3, (exit5) => pipe(sync(() => map12.delete(layer3)), zipRight(get11(finalizerRef)), flatMap7((finalizer) => finalizer(exit5))))), zipRight(deferredSucceed(deferred, exit4.effect_instruction_i0)), as(exit4.effect_instruction_i0[1]));
            }
          }
        })))));
        const memoized = [pipe(deferredAwait(deferred), onExit(exitMatchEffect({
          onFailure: () => void_,
          onSuccess: () => update2(observers, (n) => n + 1)
        }))), (exit4) => pipe(get11(finalizerRef), flatMap7((finalizer) => finalizer(exit4)))];
        return [resource, isFresh(layer3) ? map12 : map12.set(layer3, memoized)];
      }))))));
    }), flatten4);
  }
};
var makeMemoMap = /* @__PURE__ */ suspend(() => map8(makeSynchronized(/* @__PURE__ */ new Map()), (ref) => new MemoMapImpl(ref)));
var unsafeMakeMemoMap = () => new MemoMapImpl(unsafeMakeSynchronized(/* @__PURE__ */ new Map()));
var buildWithScope = /* @__PURE__ */ dual(2, (self, scope3) => flatMap7(makeMemoMap, (memoMap) => buildWithMemoMap(self, memoMap, scope3)));
var buildWithMemoMap = /* @__PURE__ */ dual(3, (self, memoMap, scope3) => flatMap7(makeBuilder(self, scope3), (run) => provideService(run(memoMap), CurrentMemoMap, memoMap)));
var makeBuilder = (self, scope3, inMemoMap = false) => {
  const op = self;
  switch (op._op_layer) {
    case "Locally": {
      return sync(() => (memoMap) => op.f(memoMap.getOrElseMemoize(op.self, scope3)));
    }
    case "ExtendScope": {
      return sync(() => (memoMap) => scopeWith((scope4) => memoMap.getOrElseMemoize(op.layer, scope4)));
    }
    case "Fold": {
      return sync(() => (memoMap) => pipe(memoMap.getOrElseMemoize(op.layer, scope3), matchCauseEffect({
        onFailure: (cause3) => memoMap.getOrElseMemoize(op.failureK(cause3), scope3),
        onSuccess: (value2) => memoMap.getOrElseMemoize(op.successK(value2), scope3)
      })));
    }
    case "Fresh": {
      return sync(() => (_) => pipe(op.layer, buildWithScope(scope3)));
    }
    case "FromEffect": {
      return inMemoMap ? sync(() => (_) => op.effect) : sync(() => (memoMap) => memoMap.getOrElseMemoize(self, scope3));
    }
    case "Provide": {
      return sync(() => (memoMap) => pipe(memoMap.getOrElseMemoize(op.first, scope3), flatMap7((env) => pipe(memoMap.getOrElseMemoize(op.second, scope3), provideContext(env)))));
    }
    case "Scoped": {
      return inMemoMap ? sync(() => (_) => scopeExtend(op.effect, scope3)) : sync(() => (memoMap) => memoMap.getOrElseMemoize(self, scope3));
    }
    case "Suspend": {
      return sync(() => (memoMap) => memoMap.getOrElseMemoize(op.evaluate(), scope3));
    }
    case "ProvideMerge": {
      return sync(() => (memoMap) => pipe(memoMap.getOrElseMemoize(op.first, scope3), zipWith2(memoMap.getOrElseMemoize(op.second, scope3), op.zipK)));
    }
    case "ZipWith": {
      return gen(function* () {
        const parallelScope = yield* scopeFork(scope3, parallel2);
        const firstScope = yield* scopeFork(parallelScope, sequential2);
        const secondScope = yield* scopeFork(parallelScope, sequential2);
        return (memoMap) => pipe(memoMap.getOrElseMemoize(op.first, firstScope), zipWithOptions(memoMap.getOrElseMemoize(op.second, secondScope), op.zipK, {
          concurrent: true
        }));
      });
    }
    case "MergeAll": {
      const layers = op.layers;
      return map8(scopeFork(scope3, parallel2), (parallelScope) => (memoMap) => {
        const contexts = new Array(layers.length);
        return map8(forEachConcurrentDiscard(layers, fnUntraced(function* (layer3, i) {
          const scope4 = yield* scopeFork(parallelScope, sequential2);
          const context4 = yield* memoMap.getOrElseMemoize(layer3, scope4);
          contexts[i] = context4;
        }), false, false), () => mergeAll2(...contexts));
      });
    }
  }
};
var context2 = () => fromEffectContext(context());
var fromEffect2 = /* @__PURE__ */ dual(2, (a, b) => {
  const tagFirst = isTag2(a);
  const tag = tagFirst ? a : b;
  const effect = tagFirst ? b : a;
  return fromEffectContext(map8(effect, (service) => make5(tag, service)));
});
function fromEffectContext(effect) {
  const fromEffect3 = Object.create(proto3);
  fromEffect3._op_layer = OP_FROM_EFFECT;
  fromEffect3.effect = effect;
  return fromEffect3;
}
var mergeAll4 = (...layers) => {
  const mergeAll6 = Object.create(proto3);
  mergeAll6._op_layer = OP_MERGE_ALL;
  mergeAll6.layers = layers;
  return mergeAll6;
};
var scoped = /* @__PURE__ */ dual(2, (a, b) => {
  const tagFirst = isTag2(a);
  const tag = tagFirst ? a : b;
  const effect = tagFirst ? b : a;
  return scopedContext(map8(effect, (service) => make5(tag, service)));
});
var scopedContext = (effect) => {
  const scoped3 = Object.create(proto3);
  scoped3._op_layer = OP_SCOPED;
  scoped3.effect = effect;
  return scoped3;
};
var succeed4 = /* @__PURE__ */ dual(2, (a, b) => {
  const tagFirst = isTag2(a);
  const tag = tagFirst ? a : b;
  const resource = tagFirst ? b : a;
  return fromEffectContext(succeed(make5(tag, resource)));
});
var suspend3 = (evaluate2) => {
  const suspend5 = Object.create(proto3);
  suspend5._op_layer = OP_SUSPEND;
  suspend5.evaluate = evaluate2;
  return suspend5;
};
var sync3 = /* @__PURE__ */ dual(2, (a, b) => {
  const tagFirst = isTag2(a);
  const tag = tagFirst ? a : b;
  const evaluate2 = tagFirst ? b : a;
  return fromEffectContext(sync(() => make5(tag, evaluate2())));
});
var provide = /* @__PURE__ */ dual(2, (self, that) => suspend3(() => {
  const provideTo = Object.create(proto3);
  provideTo._op_layer = OP_PROVIDE;
  provideTo.first = Object.create(proto3, {
    _op_layer: {
      value: OP_PROVIDE_MERGE,
      enumerable: true
    },
    first: {
      value: context2(),
      enumerable: true
    },
    second: {
      value: Array.isArray(that) ? mergeAll4(...that) : that
    },
    zipK: {
      value: (a, b) => pipe(a, merge3(b))
    }
  });
  provideTo.second = self;
  return provideTo;
}));
var provideSomeLayer = /* @__PURE__ */ dual(2, (self, layer3) => scopedWith((scope3) => flatMap7(buildWithScope(layer3, scope3), (context4) => provideSomeContext(self, context4))));
var provideSomeRuntime = /* @__PURE__ */ dual(2, (self, rt) => {
  const patchRefs = diff6(defaultRuntime.fiberRefs, rt.fiberRefs);
  const patchFlags = diff4(defaultRuntime.runtimeFlags, rt.runtimeFlags);
  return uninterruptibleMask((restore) => withFiberRuntime((fiber) => {
    const oldContext = fiber.getFiberRef(currentContext);
    const oldRefs = fiber.getFiberRefs();
    const newRefs = patch7(fiber.id(), oldRefs)(patchRefs);
    const oldFlags = fiber.currentRuntimeFlags;
    const newFlags = patch4(patchFlags)(oldFlags);
    const rollbackRefs = diff6(newRefs, oldRefs);
    const rollbackFlags = diff4(newFlags, oldFlags);
    fiber.setFiberRefs(newRefs);
    fiber.currentRuntimeFlags = newFlags;
    return ensuring(provideSomeContext(restore(self), merge3(oldContext, rt.context)), withFiberRuntime((fiber2) => {
      fiber2.setFiberRefs(patch7(fiber2.id(), fiber2.getFiberRefs())(rollbackRefs));
      fiber2.currentRuntimeFlags = patch4(rollbackFlags)(fiber2.currentRuntimeFlags);
      return void_;
    }));
  }));
});
var effect_provide = /* @__PURE__ */ dual(2, (self, source2) => {
  if (Array.isArray(source2)) {
    return provideSomeLayer(self, mergeAll4(...source2));
  } else if (isLayer(source2)) {
    return provideSomeLayer(self, source2);
  } else if (isContext2(source2)) {
    return provideSomeContext(self, source2);
  } else if (TypeId15 in source2) {
    return flatMap7(source2.runtimeEffect, (rt) => provideSomeRuntime(self, rt));
  } else {
    return provideSomeRuntime(self, source2);
  }
});

// node_modules/effect/dist/esm/internal/console.js
var console2 = /* @__PURE__ */ map8(/* @__PURE__ */ fiberRefGet(currentServices), /* @__PURE__ */ get3(consoleTag));
var consoleWith = (f) => fiberRefGetWith(currentServices, (services) => f(get3(services, consoleTag)));
var withConsole = /* @__PURE__ */ dual(2, (effect, value2) => fiberRefLocallyWith(effect, currentServices, add2(consoleTag, value2)));
var withConsoleScoped = (console4) => fiberRefLocallyScopedWith(currentServices, add2(consoleTag, console4));

// node_modules/effect/dist/esm/Random.js
var fixed2 = fixed;

// node_modules/effect/dist/esm/internal/schedule.js
var ScheduleSymbolKey = "effect/Schedule";
var ScheduleTypeId = /* @__PURE__ */ Symbol.for(ScheduleSymbolKey);
var isSchedule = (u) => hasProperty(u, ScheduleTypeId);
var ScheduleDriverSymbolKey = "effect/ScheduleDriver";
var ScheduleDriverTypeId = /* @__PURE__ */ Symbol.for(ScheduleDriverSymbolKey);
var defaultIterationMetadata = {
  start: 0,
  now: 0,
  input: void 0,
  output: void 0,
  elapsed: zero,
  elapsedSincePrevious: zero,
  recurrence: 0
};
var CurrentIterationMetadata = /* @__PURE__ */ Reference2()("effect/Schedule/CurrentIterationMetadata", {
  defaultValue: () => defaultIterationMetadata
});
var scheduleVariance = {
  /* c8 ignore next */
  _Out: (_) => _,
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _R: (_) => _
};
var scheduleDriverVariance = {
  /* c8 ignore next */
  _Out: (_) => _,
  /* c8 ignore next */
  _In: (_) => _,
  /* c8 ignore next */
  _R: (_) => _
};
var ScheduleImpl = class {
  initial;
  step;
  [ScheduleTypeId] = scheduleVariance;
  constructor(initial, step4) {
    this.initial = initial;
    this.step = step4;
  }
  pipe() {
    return pipeArguments(this, arguments);
  }
};
var updateInfo = (iterationMetaRef, now, input, output) => update2(iterationMetaRef, (prev) => prev.recurrence === 0 ? {
  now,
  input,
  output,
  recurrence: prev.recurrence + 1,
  elapsed: zero,
  elapsedSincePrevious: zero,
  start: now
} : {
  now,
  input,
  output,
  recurrence: prev.recurrence + 1,
  elapsed: millis(now - prev.start),
  elapsedSincePrevious: millis(now - prev.now),
  start: prev.start
});
var ScheduleDriverImpl = class {
  schedule;
  ref;
  [ScheduleDriverTypeId] = scheduleDriverVariance;
  constructor(schedule2, ref) {
    this.schedule = schedule2;
    this.ref = ref;
  }
  get state() {
    return map8(get11(this.ref), (tuple) => tuple[1]);
  }
  get last() {
    return flatMap7(get11(this.ref), ([element, _]) => {
      switch (element._tag) {
        case "None": {
          return failSync(() => new NoSuchElementException());
        }
        case "Some": {
          return succeed(element.value);
        }
      }
    });
  }
  iterationMeta = /* @__PURE__ */ unsafeMake5(defaultIterationMetadata);
  get reset() {
    return set5(this.ref, [none2(), this.schedule.initial]).pipe(zipLeft(set5(this.iterationMeta, defaultIterationMetadata)));
  }
  next(input) {
    return pipe(map8(get11(this.ref), (tuple) => tuple[1]), flatMap7((state) => pipe(currentTimeMillis2, flatMap7((now) => pipe(suspend(() => this.schedule.step(now, input, state)), flatMap7(([state2, out, decision]) => {
      const setState = set5(this.ref, [some2(out), state2]);
      if (isDone4(decision)) {
        return setState.pipe(zipRight(fail2(none2())));
      }
      const millis2 = start2(decision.intervals) - now;
      if (millis2 <= 0) {
        return setState.pipe(zipRight(updateInfo(this.iterationMeta, now, input, out)), as(out));
      }
      const duration = millis(millis2);
      return pipe(setState, zipRight(updateInfo(this.iterationMeta, now, input, out)), zipRight(sleep3(duration)), as(out));
    }))))));
  }
};
var makeWithState = (initial, step4) => new ScheduleImpl(initial, step4);
var asVoid2 = (self) => map10(self, constVoid);
var check = /* @__PURE__ */ dual(2, (self, test) => checkEffect(self, (input, out) => sync(() => test(input, out))));
var checkEffect = /* @__PURE__ */ dual(2, (self, test) => makeWithState(self.initial, (now, input, state) => flatMap7(self.step(now, input, state), ([state2, out, decision]) => {
  if (isDone4(decision)) {
    return succeed([state2, out, done6]);
  }
  return map8(test(input, out), (cont) => cont ? [state2, out, decision] : [state2, out, done6]);
})));
var driver = (self) => pipe(make26([none2(), self.initial]), map8((ref) => new ScheduleDriverImpl(self, ref)));
var intersect5 = /* @__PURE__ */ dual(2, (self, that) => intersectWith(self, that, intersect4));
var intersectWith = /* @__PURE__ */ dual(3, (self, that, f) => makeWithState([self.initial, that.initial], (now, input, state) => pipe(zipWith2(self.step(now, input, state[0]), that.step(now, input, state[1]), (a, b) => [a, b]), flatMap7(([[lState, out, lDecision], [rState, out2, rDecision]]) => {
  if (isContinue2(lDecision) && isContinue2(rDecision)) {
    return intersectWithLoop(self, that, input, lState, out, lDecision.intervals, rState, out2, rDecision.intervals, f);
  }
  return succeed([[lState, rState], [out, out2], done6]);
}))));
var intersectWithLoop = (self, that, input, lState, out, lInterval, rState, out2, rInterval, f) => {
  const combined = f(lInterval, rInterval);
  if (isNonEmpty4(combined)) {
    return succeed([[lState, rState], [out, out2], _continue2(combined)]);
  }
  if (pipe(lInterval, lessThan5(rInterval))) {
    return flatMap7(self.step(end2(lInterval), input, lState), ([lState2, out3, decision]) => {
      if (isDone4(decision)) {
        return succeed([[lState2, rState], [out3, out2], done6]);
      }
      return intersectWithLoop(self, that, input, lState2, out3, decision.intervals, rState, out2, rInterval, f);
    });
  }
  return flatMap7(that.step(end2(rInterval), input, rState), ([rState2, out22, decision]) => {
    if (isDone4(decision)) {
      return succeed([[lState, rState2], [out, out22], done6]);
    }
    return intersectWithLoop(self, that, input, lState, out, lInterval, rState2, out22, decision.intervals, f);
  });
};
var map10 = /* @__PURE__ */ dual(2, (self, f) => mapEffect(self, (out) => sync(() => f(out))));
var mapEffect = /* @__PURE__ */ dual(2, (self, f) => makeWithState(self.initial, (now, input, state) => flatMap7(self.step(now, input, state), ([state2, out, decision]) => map8(f(out), (out2) => [state2, out2, decision]))));
var passthrough = (self) => makeWithState(self.initial, (now, input, state) => pipe(self.step(now, input, state), map8(([state2, _, decision]) => [state2, input, decision])));
var recurs = (n) => whileOutput(forever2, (out) => out < n);
var unfold2 = (initial, f) => makeWithState(initial, (now, _, state) => sync(() => [f(state), state, continueWith2(after2(now))]));
var untilInputEffect = /* @__PURE__ */ dual(2, (self, f) => checkEffect(self, (input, _) => negate(f(input))));
var whileInputEffect = /* @__PURE__ */ dual(2, (self, f) => checkEffect(self, (input, _) => f(input)));
var whileOutput = /* @__PURE__ */ dual(2, (self, f) => check(self, (_, out) => f(out)));
var ScheduleDefectTypeId = /* @__PURE__ */ Symbol.for("effect/Schedule/ScheduleDefect");
var ScheduleDefect = class {
  error;
  [ScheduleDefectTypeId];
  constructor(error2) {
    this.error = error2;
    this[ScheduleDefectTypeId] = ScheduleDefectTypeId;
  }
};
var isScheduleDefect = (u) => hasProperty(u, ScheduleDefectTypeId);
var scheduleDefectWrap = (self) => catchAll(self, (e) => die2(new ScheduleDefect(e)));
var scheduleDefectRefailCause = (cause3) => match2(find(cause3, (_) => isDieType(_) && isScheduleDefect(_.defect) ? some2(_.defect) : none2()), {
  onNone: () => cause3,
  onSome: (error2) => fail(error2.error)
});
var scheduleDefectRefail = (effect) => catchAllCause(effect, (cause3) => failCause(scheduleDefectRefailCause(cause3)));
var repeat_Effect = /* @__PURE__ */ dual(2, (self, schedule2) => repeatOrElse_Effect(self, schedule2, (e, _) => fail2(e)));
var repeat_combined = /* @__PURE__ */ dual(2, (self, options) => {
  if (isSchedule(options)) {
    return repeat_Effect(self, options);
  }
  const base = options.schedule ?? passthrough(forever2);
  const withWhile = options.while ? whileInputEffect(base, (a) => {
    const applied = options.while(a);
    if (typeof applied === "boolean") {
      return succeed(applied);
    }
    return scheduleDefectWrap(applied);
  }) : base;
  const withUntil = options.until ? untilInputEffect(withWhile, (a) => {
    const applied = options.until(a);
    if (typeof applied === "boolean") {
      return succeed(applied);
    }
    return scheduleDefectWrap(applied);
  }) : withWhile;
  const withTimes = options.times ? intersect5(withUntil, recurs(options.times)).pipe(map10((intersectionPair) => intersectionPair[0])) : withUntil;
  return scheduleDefectRefail(repeat_Effect(self, withTimes));
});
var repeatOrElse_Effect = /* @__PURE__ */ dual(3, (self, schedule2, orElse3) => flatMap7(driver(schedule2), (driver3) => matchEffect(self, {
  onFailure: (error2) => orElse3(error2, none2()),
  onSuccess: (value2) => repeatOrElseEffectLoop(provideServiceEffect(self, CurrentIterationMetadata, get11(driver3.iterationMeta)), driver3, (error2, option3) => provideServiceEffect(orElse3(error2, option3), CurrentIterationMetadata, get11(driver3.iterationMeta)), value2)
})));
var repeatOrElseEffectLoop = (self, driver3, orElse3, value2) => matchEffect(driver3.next(value2), {
  onFailure: () => orDie(driver3.last),
  onSuccess: (b) => matchEffect(self, {
    onFailure: (error2) => orElse3(error2, some2(b)),
    onSuccess: (value3) => repeatOrElseEffectLoop(self, driver3, orElse3, value3)
  })
});
var retry_Effect = /* @__PURE__ */ dual(2, (self, policy) => retryOrElse_Effect(self, policy, (e, _) => fail2(e)));
var retry_combined = /* @__PURE__ */ dual(2, (self, options) => {
  if (isSchedule(options)) {
    return retry_Effect(self, options);
  }
  return scheduleDefectRefail(retry_Effect(self, fromRetryOptions(options)));
});
var fromRetryOptions = (options) => {
  const base = options.schedule ?? forever2;
  const withWhile = options.while ? whileInputEffect(base, (e) => {
    const applied = options.while(e);
    if (typeof applied === "boolean") {
      return succeed(applied);
    }
    return scheduleDefectWrap(applied);
  }) : base;
  const withUntil = options.until ? untilInputEffect(withWhile, (e) => {
    const applied = options.until(e);
    if (typeof applied === "boolean") {
      return succeed(applied);
    }
    return scheduleDefectWrap(applied);
  }) : withWhile;
  return options.times !== void 0 ? intersect5(withUntil, recurs(options.times)) : withUntil;
};
var retryOrElse_Effect = /* @__PURE__ */ dual(3, (self, policy, orElse3) => flatMap7(driver(policy), (driver3) => retryOrElse_EffectLoop(provideServiceEffect(self, CurrentIterationMetadata, get11(driver3.iterationMeta)), driver3, (e, out) => provideServiceEffect(orElse3(e, out), CurrentIterationMetadata, get11(driver3.iterationMeta)))));
var retryOrElse_EffectLoop = (self, driver3, orElse3) => {
  return catchAll(self, (e) => matchEffect(driver3.next(e), {
    onFailure: () => pipe(driver3.last, orDie, flatMap7((out) => orElse3(e, out))),
    onSuccess: () => retryOrElse_EffectLoop(self, driver3, orElse3)
  }));
};
var schedule_Effect = /* @__PURE__ */ dual(2, (self, schedule2) => scheduleFrom_Effect(self, void 0, schedule2));
var scheduleFrom_Effect = /* @__PURE__ */ dual(3, (self, initial, schedule2) => flatMap7(driver(schedule2), (driver3) => scheduleFrom_EffectLoop(provideServiceEffect(self, CurrentIterationMetadata, get11(driver3.iterationMeta)), initial, driver3)));
var scheduleFrom_EffectLoop = (self, initial, driver3) => matchEffect(driver3.next(initial), {
  onFailure: () => orDie(driver3.last),
  onSuccess: () => flatMap7(self, (a) => scheduleFrom_EffectLoop(self, a, driver3))
});
var forever2 = /* @__PURE__ */ unfold2(0, (n) => n + 1);
var once2 = /* @__PURE__ */ asVoid2(/* @__PURE__ */ recurs(1));
var scheduleForked = /* @__PURE__ */ dual(2, (self, schedule2) => forkScoped(schedule_Effect(self, schedule2)));

// node_modules/effect/dist/esm/internal/executionPlan.js
var withExecutionPlan = /* @__PURE__ */ dual(2, (effect, plan) => suspend(() => {
  let i = 0;
  let result;
  return flatMap7(whileLoop({
    while: () => i < plan.steps.length && (result === void 0 || isLeft2(result)),
    body: () => {
      const step4 = plan.steps[i];
      let nextEffect = effect_provide(effect, step4.provide);
      if (result) {
        let attempted = false;
        const wrapped = nextEffect;
        nextEffect = suspend(() => {
          if (attempted) return wrapped;
          attempted = true;
          return result;
        });
        nextEffect = scheduleDefectRefail(retry_Effect(nextEffect, scheduleFromStep(step4, false)));
      } else {
        const schedule2 = scheduleFromStep(step4, true);
        nextEffect = schedule2 ? scheduleDefectRefail(retry_Effect(nextEffect, schedule2)) : nextEffect;
      }
      return either2(nextEffect);
    },
    step: (either4) => {
      result = either4;
      i++;
    }
  }), () => result);
}));
var scheduleFromStep = (step4, first2) => {
  if (!first2) {
    return fromRetryOptions({
      schedule: step4.schedule ? step4.schedule : step4.attempts ? void 0 : once2,
      times: step4.attempts,
      while: step4.while
    });
  } else if (step4.attempts === 1 || !(step4.schedule || step4.attempts)) {
    return void 0;
  }
  return fromRetryOptions({
    schedule: step4.schedule,
    while: step4.while,
    times: step4.attempts ? step4.attempts - 1 : void 0
  });
};

// node_modules/effect/dist/esm/internal/query.js
var currentCache = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentCache"), () => fiberRefUnsafeMake(unsafeMakeWith(65536, () => map8(deferredMake(), (handle) => ({
  listeners: new Listeners(),
  handle
})), () => seconds(60))));
var currentCacheEnabled = /* @__PURE__ */ globalValue(/* @__PURE__ */ Symbol.for("effect/FiberRef/currentCacheEnabled"), () => fiberRefUnsafeMake(false));
var fromRequest = (request2, dataSource) => flatMap7(isEffect(dataSource) ? dataSource : succeed(dataSource), (ds) => fiberIdWith((id) => {
  const proxy = new Proxy(request2, {});
  return fiberRefGetWith(currentCacheEnabled, (cacheEnabled) => {
    if (cacheEnabled) {
      const cached4 = fiberRefGetWith(currentCache, (cache) => flatMap7(cache.getEither(proxy), (orNew) => {
        switch (orNew._tag) {
          case "Left": {
            if (orNew.left.listeners.interrupted) {
              return flatMap7(cache.invalidateWhen(proxy, (entry) => entry.handle === orNew.left.handle), () => cached4);
            }
            orNew.left.listeners.increment();
            return uninterruptibleMask((restore) => flatMap7(exit(blocked(empty15, restore(deferredAwait(orNew.left.handle)))), (exit4) => {
              orNew.left.listeners.decrement();
              return exit4;
            }));
          }
          case "Right": {
            orNew.right.listeners.increment();
            return uninterruptibleMask((restore) => flatMap7(exit(blocked(single(ds, makeEntry({
              request: proxy,
              result: orNew.right.handle,
              listeners: orNew.right.listeners,
              ownerId: id,
              state: {
                completed: false
              }
            })), restore(deferredAwait(orNew.right.handle)))), () => {
              orNew.right.listeners.decrement();
              return deferredAwait(orNew.right.handle);
            }));
          }
        }
      }));
      return cached4;
    }
    const listeners = new Listeners();
    listeners.increment();
    return flatMap7(deferredMake(), (ref) => ensuring(blocked(single(ds, makeEntry({
      request: proxy,
      result: ref,
      listeners,
      ownerId: id,
      state: {
        completed: false
      }
    })), deferredAwait(ref)), sync(() => listeners.decrement())));
  });
}));
var cacheRequest = (request2, result) => {
  return fiberRefGetWith(currentCacheEnabled, (cacheEnabled) => {
    if (cacheEnabled) {
      return fiberRefGetWith(currentCache, (cache) => flatMap7(cache.getEither(request2), (orNew) => {
        switch (orNew._tag) {
          case "Left": {
            return void_;
          }
          case "Right": {
            return deferredComplete(orNew.right.handle, result);
          }
        }
      }));
    }
    return void_;
  });
};
var withRequestCaching = /* @__PURE__ */ dual(2, (self, strategy) => fiberRefLocally(self, currentCacheEnabled, strategy));
var withRequestCache = /* @__PURE__ */ dual(
  2,
  // @ts-expect-error
  (self, cache) => fiberRefLocally(self, currentCache, cache)
);

// node_modules/effect/dist/esm/Request.js
var isRequest2 = isRequest;

// node_modules/effect/dist/esm/Effect.js
var EffectTypeId3 = EffectTypeId2;
var isEffect2 = isEffect;
var cachedWithTTL = cached2;
var cachedInvalidateWithTTL2 = cachedInvalidateWithTTL;
var cached3 = memoize;
var cachedFunction2 = cachedFunction;
var once3 = once;
var all3 = all2;
var allWith2 = allWith;
var allSuccesses2 = allSuccesses;
var dropUntil2 = dropUntil;
var dropWhile2 = dropWhile;
var takeUntil2 = takeUntil;
var takeWhile2 = takeWhile;
var every5 = every4;
var exists2 = exists;
var filter5 = filter4;
var filterMap4 = filterMap3;
var findFirst5 = findFirst3;
var forEach8 = forEach7;
var head4 = head3;
var mergeAll5 = mergeAll3;
var partition4 = partition3;
var reduce10 = reduce8;
var reduceWhile2 = reduceWhile;
var reduceRight3 = reduceRight2;
var reduceEffect2 = reduceEffect;
var replicate2 = replicate;
var replicateEffect2 = replicateEffect;
var validateAll2 = validateAll;
var validateFirst2 = validateFirst;
var async2 = async_;
var asyncEffect2 = asyncEffect;
var custom2 = custom;
var withFiberRuntime2 = withFiberRuntime;
var fail4 = fail2;
var failSync2 = failSync;
var failCause4 = failCause;
var failCauseSync2 = failCauseSync;
var die3 = die2;
var dieMessage2 = dieMessage;
var dieSync2 = dieSync;
var gen2 = gen;
var never2 = never;
var none9 = none6;
var promise2 = promise;
var succeed6 = succeed;
var succeedNone2 = succeedNone;
var succeedSome2 = succeedSome;
var suspend4 = suspend;
var sync4 = sync;
var _void = void_;
var yieldNow4 = yieldNow;
var _catch2 = _catch;
var catchAll2 = catchAll;
var catchAllCause2 = catchAllCause;
var catchAllDefect2 = catchAllDefect;
var catchIf2 = catchIf;
var catchSome2 = catchSome;
var catchSomeCause2 = catchSomeCause;
var catchSomeDefect2 = catchSomeDefect;
var catchTag2 = catchTag;
var catchTags2 = catchTags;
var cause2 = cause;
var eventually2 = eventually;
var ignore2 = ignore;
var ignoreLogged2 = ignoreLogged;
var parallelErrors2 = parallelErrors;
var sandbox2 = sandbox;
var retry = retry_combined;
var withExecutionPlan2 = withExecutionPlan;
var retryOrElse = retryOrElse_Effect;
var try_2 = try_;
var tryMap2 = tryMap;
var tryMapPromise2 = tryMapPromise;
var tryPromise2 = tryPromise;
var unsandbox2 = unsandbox;
var allowInterrupt2 = allowInterrupt;
var checkInterruptible2 = checkInterruptible;
var disconnect2 = disconnect;
var interrupt4 = interrupt2;
var interruptWith2 = interruptWith;
var interruptible4 = interruptible2;
var interruptibleMask2 = interruptibleMask;
var onInterrupt2 = onInterrupt;
var uninterruptible2 = uninterruptible;
var uninterruptibleMask3 = uninterruptibleMask;
var liftPredicate2 = liftPredicate;
var as3 = as;
var asSome2 = asSome;
var asSomeError2 = asSomeError;
var asVoid3 = asVoid;
var flip2 = flip;
var flipWith2 = flipWith;
var map11 = map8;
var mapAccum3 = mapAccum2;
var mapBoth2 = mapBoth;
var mapError2 = mapError;
var mapErrorCause2 = mapErrorCause;
var merge6 = merge5;
var negate2 = negate;
var acquireRelease2 = acquireRelease;
var acquireReleaseInterruptible2 = acquireReleaseInterruptible;
var acquireUseRelease2 = acquireUseRelease;
var addFinalizer2 = addFinalizer;
var ensuring2 = ensuring;
var onError2 = onError;
var onExit3 = onExit;
var parallelFinalizers2 = parallelFinalizers;
var sequentialFinalizers2 = sequentialFinalizers;
var finalizersMask2 = finalizersMask;
var scope2 = scope;
var scopeWith2 = scopeWith;
var scopedWith2 = scopedWith;
var scoped2 = scopedEffect;
var using2 = using;
var withEarlyRelease2 = withEarlyRelease;
var awaitAllChildren2 = awaitAllChildren;
var daemonChildren2 = daemonChildren;
var descriptor2 = descriptor;
var descriptorWith2 = descriptorWith;
var diffFiberRefs2 = diffFiberRefs;
var ensuringChild2 = ensuringChild;
var ensuringChildren2 = ensuringChildren;
var fiberId2 = fiberId;
var fiberIdWith2 = fiberIdWith;
var fork3 = fork;
var forkDaemon2 = forkDaemon;
var forkAll2 = forkAll;
var forkIn2 = forkIn;
var forkScoped2 = forkScoped;
var forkWithErrorHandler2 = forkWithErrorHandler;
var fromFiber2 = fromFiber;
var fromFiberEffect2 = fromFiberEffect;
var supervised2 = supervised;
var transplant2 = transplant;
var withConcurrency2 = withConcurrency;
var withScheduler2 = withScheduler;
var withSchedulingPriority2 = withSchedulingPriority;
var withMaxOpsBeforeYield2 = withMaxOpsBeforeYield;
var clock2 = clock;
var clockWith4 = clockWith3;
var withClockScoped2 = withClockScoped;
var withClock2 = withClock;
var console3 = console2;
var consoleWith2 = consoleWith;
var withConsoleScoped2 = withConsoleScoped;
var withConsole2 = withConsole;
var delay2 = delay;
var sleep4 = sleep3;
var timed2 = timed;
var timedWith2 = timedWith;
var timeout2 = timeout;
var timeoutOption2 = timeoutOption;
var timeoutFail2 = timeoutFail;
var timeoutFailCause2 = timeoutFailCause;
var timeoutTo2 = timeoutTo;
var configProviderWith2 = configProviderWith;
var withConfigProvider2 = withConfigProvider;
var withConfigProviderScoped2 = withConfigProviderScoped;
var context3 = context;
var contextWith2 = contextWith;
var contextWithEffect2 = contextWithEffect;
var mapInputContext2 = mapInputContext;
var provide2 = effect_provide;
var provideService2 = provideService;
var provideServiceEffect2 = provideServiceEffect;
var serviceFunction2 = serviceFunction;
var serviceFunctionEffect2 = serviceFunctionEffect;
var serviceFunctions2 = serviceFunctions;
var serviceConstants2 = serviceConstants;
var serviceMembers2 = serviceMembers;
var serviceOption2 = serviceOption;
var serviceOptional2 = serviceOptional;
var updateService2 = updateService;
var Do2 = Do;
var bind3 = bind2;
var bindAll2 = bindAll;
var bindTo3 = bindTo2;
var let_3 = let_2;
var option2 = option;
var either3 = either2;
var exit3 = exit;
var intoDeferred2 = intoDeferred;
var if_2 = if_;
var filterOrDie2 = filterOrDie;
var filterOrDieMessage2 = filterOrDieMessage;
var filterOrElse2 = filterOrElse;
var filterOrFail2 = filterOrFail;
var filterEffectOrElse2 = filterEffectOrElse;
var filterEffectOrFail2 = filterEffectOrFail;
var unless2 = unless;
var unlessEffect2 = unlessEffect;
var when2 = when;
var whenEffect2 = whenEffect;
var whenFiberRef2 = whenFiberRef;
var whenRef2 = whenRef;
var flatMap9 = flatMap7;
var andThen3 = andThen2;
var flatten6 = flatten4;
var race2 = race;
var raceAll2 = raceAll;
var raceFirst2 = raceFirst;
var raceWith2 = raceWith;
var summarized2 = summarized;
var tap2 = tap;
var tapBoth2 = tapBoth;
var tapDefect2 = tapDefect;
var tapError2 = tapError;
var tapErrorTag2 = tapErrorTag;
var tapErrorCause2 = tapErrorCause;
var forever3 = forever;
var iterate2 = iterate;
var loop2 = loop;
var repeat = repeat_combined;
var repeatN2 = repeatN;
var repeatOrElse = repeatOrElse_Effect;
var schedule = schedule_Effect;
var scheduleForked2 = scheduleForked;
var scheduleFrom = scheduleFrom_Effect;
var whileLoop3 = whileLoop;
var getFiberRefs = fiberRefs2;
var inheritFiberRefs2 = inheritFiberRefs;
var locally = fiberRefLocally;
var locallyWith = fiberRefLocallyWith;
var locallyScoped = fiberRefLocallyScoped;
var locallyScopedWith = fiberRefLocallyScopedWith;
var patchFiberRefs2 = patchFiberRefs;
var setFiberRefs2 = setFiberRefs;
var updateFiberRefs2 = updateFiberRefs;
var isFailure2 = isFailure;
var isSuccess2 = isSuccess;
var match9 = match6;
var matchCause3 = matchCause;
var matchCauseEffect3 = matchCauseEffect;
var matchEffect2 = matchEffect;
var log2 = log;
var logWithLevel2 = (level, ...message) => logWithLevel(level)(...message);
var logTrace2 = logTrace;
var logDebug2 = logDebug;
var logInfo2 = logInfo;
var logWarning2 = logWarning;
var logError2 = logError;
var logFatal2 = logFatal;
var withLogSpan2 = withLogSpan;
var annotateLogs2 = annotateLogs;
var annotateLogsScoped2 = annotateLogsScoped;
var logAnnotations2 = logAnnotations;
var withUnhandledErrorLogLevel2 = withUnhandledErrorLogLevel;
var whenLogLevel2 = whenLogLevel;
var orDie2 = orDie;
var orDieWith2 = orDieWith;
var orElse2 = orElse;
var orElseFail2 = orElseFail;
var orElseSucceed2 = orElseSucceed;
var firstSuccessOf2 = firstSuccessOf;
var random3 = random2;
var randomWith2 = randomWith;
var withRandom2 = withRandom;
var withRandomFixed = /* @__PURE__ */ dual(2, (effect, values3) => withRandom2(effect, fixed2(values3)));
var withRandomScoped2 = withRandomScoped;
var runtime3 = runtime2;
var getRuntimeFlags = runtimeFlags;
var patchRuntimeFlags = updateRuntimeFlags;
var withRuntimeFlagsPatch = withRuntimeFlags;
var withRuntimeFlagsPatchScoped = withRuntimeFlagsScoped;
var tagMetrics2 = tagMetrics;
var labelMetrics2 = labelMetrics;
var tagMetricsScoped2 = tagMetricsScoped;
var labelMetricsScoped2 = labelMetricsScoped;
var metricLabels2 = metricLabels;
var withMetric2 = withMetric;
var unsafeMakeSemaphore2 = unsafeMakeSemaphore;
var makeSemaphore2 = makeSemaphore;
var unsafeMakeLatch2 = unsafeMakeLatch;
var makeLatch2 = makeLatch;
var runFork2 = unsafeForkEffect;
var runCallback = unsafeRunEffect;
var runPromise = unsafeRunPromiseEffect;
var runPromiseExit = unsafeRunPromiseExitEffect;
var runSync = unsafeRunSyncEffect;
var runSyncExit = unsafeRunSyncExitEffect;
var validate2 = validate;
var validateWith2 = validateWith;
var zip4 = zipOptions;
var zipLeft2 = zipLeftOptions;
var zipRight2 = zipRightOptions;
var zipWith3 = zipWithOptions;
var ap = /* @__PURE__ */ dual(2, (self, that) => zipWith3(self, that, (f, a) => f(a)));
var blocked2 = blocked;
var runRequestBlock2 = runRequestBlock;
var step3 = step2;
var request = /* @__PURE__ */ dual((args2) => isRequest2(args2[0]), fromRequest);
var cacheRequestResult = cacheRequest;
var withRequestBatching2 = withRequestBatching;
var withRequestCaching2 = withRequestCaching;
var withRequestCache2 = withRequestCache;
var tracer2 = tracer;
var tracerWith4 = tracerWith;
var withTracer2 = withTracer;
var withTracerScoped2 = withTracerScoped;
var withTracerEnabled2 = withTracerEnabled;
var withTracerTiming2 = withTracerTiming;
var annotateSpans2 = annotateSpans;
var annotateCurrentSpan2 = annotateCurrentSpan;
var currentSpan2 = currentSpan;
var currentPropagatedSpan2 = currentPropagatedSpan;
var currentParentSpan2 = currentParentSpan;
var spanAnnotations2 = spanAnnotations;
var spanLinks2 = spanLinks;
var linkSpans2 = linkSpans;
var linkSpanCurrent2 = linkSpanCurrent;
var makeSpan2 = makeSpan;
var makeSpanScoped2 = makeSpanScoped;
var useSpan2 = useSpan;
var withSpan2 = withSpan;
var functionWithSpan2 = functionWithSpan;
var withSpanScoped2 = withSpanScoped;
var withParentSpan2 = withParentSpan;
var fromNullable3 = fromNullable2;
var optionFromOptional2 = optionFromOptional;
var transposeOption = (self) => {
  return isNone(self) ? succeedNone2 : map11(self.value, some);
};
var transposeMapOption = /* @__PURE__ */ dual(2, (self, f) => isNone(self) ? succeedNone2 : map11(f(self.value), some));
var makeTagProxy = (TagClass) => {
  const cache = /* @__PURE__ */ new Map();
  return new Proxy(TagClass, {
    get(target, prop, receiver) {
      if (prop in target) {
        return Reflect.get(target, prop, receiver);
      }
      if (cache.has(prop)) {
        return cache.get(prop);
      }
      const fn2 = (...args2) => andThen2(target, (s) => {
        if (typeof s[prop] === "function") {
          cache.set(prop, (...args3) => andThen2(target, (s2) => s2[prop](...args3)));
          return s[prop](...args2);
        }
        cache.set(prop, andThen2(target, (s2) => s2[prop]));
        return s[prop];
      });
      const cn = andThen2(target, (s) => s[prop]);
      Object.assign(fn2, cn);
      const apply2 = fn2.apply;
      const bind4 = fn2.bind;
      const call = fn2.call;
      const proto4 = Object.setPrototypeOf({}, Object.getPrototypeOf(cn));
      proto4.apply = apply2;
      proto4.bind = bind4;
      proto4.call = call;
      Object.setPrototypeOf(fn2, proto4);
      cache.set(prop, fn2);
      return fn2;
    }
  });
};
var Tag2 = (id) => () => {
  const limit = getStackTraceLimit();
  setStackTraceLimit(2);
  const creationError = new Error();
  setStackTraceLimit(limit);
  function TagClass() {
  }
  Object.setPrototypeOf(TagClass, TagProto);
  TagClass.key = id;
  Object.defineProperty(TagClass, "use", {
    get() {
      return (body) => andThen2(this, body);
    }
  });
  Object.defineProperty(TagClass, "stack", {
    get() {
      return creationError.stack;
    }
  });
  return makeTagProxy(TagClass);
};
var Service = function() {
  return function() {
    const [id, maker] = arguments;
    const proxy = "accessors" in maker ? maker["accessors"] : false;
    const limit = getStackTraceLimit();
    setStackTraceLimit(2);
    const creationError = new Error();
    setStackTraceLimit(limit);
    let patchState = "unchecked";
    const TagClass = function(service) {
      if (patchState === "unchecked") {
        const proto4 = Object.getPrototypeOf(service);
        if (proto4 === Object.prototype || proto4 === null) {
          patchState = "plain";
        } else {
          const selfProto = Object.getPrototypeOf(this);
          Object.setPrototypeOf(selfProto, proto4);
          patchState = "patched";
        }
      }
      if (patchState === "plain") {
        Object.assign(this, service);
      } else if (patchState === "patched") {
        Object.setPrototypeOf(service, Object.getPrototypeOf(this));
        return service;
      }
    };
    TagClass.prototype._tag = id;
    Object.defineProperty(TagClass, "make", {
      get() {
        return (service) => new this(service);
      }
    });
    Object.defineProperty(TagClass, "use", {
      get() {
        return (body) => andThen2(this, body);
      }
    });
    TagClass.key = id;
    Object.assign(TagClass, TagProto);
    Object.defineProperty(TagClass, "stack", {
      get() {
        return creationError.stack;
      }
    });
    const hasDeps = "dependencies" in maker && maker.dependencies.length > 0;
    const layerName = hasDeps ? "DefaultWithoutDependencies" : "Default";
    let layerCache;
    let isFunction3 = false;
    if ("effect" in maker) {
      isFunction3 = typeof maker.effect === "function";
      Object.defineProperty(TagClass, layerName, {
        get() {
          if (isFunction3) {
            return function() {
              return fromEffect2(TagClass, map11(maker.effect.apply(null, arguments), (_) => new this(_)));
            }.bind(this);
          }
          return layerCache ??= fromEffect2(TagClass, map11(maker.effect, (_) => new this(_)));
        }
      });
    } else if ("scoped" in maker) {
      isFunction3 = typeof maker.scoped === "function";
      Object.defineProperty(TagClass, layerName, {
        get() {
          if (isFunction3) {
            return function() {
              return scoped(TagClass, map11(maker.scoped.apply(null, arguments), (_) => new this(_)));
            }.bind(this);
          }
          return layerCache ??= scoped(TagClass, map11(maker.scoped, (_) => new this(_)));
        }
      });
    } else if ("sync" in maker) {
      Object.defineProperty(TagClass, layerName, {
        get() {
          return layerCache ??= sync3(TagClass, () => new this(maker.sync()));
        }
      });
    } else {
      Object.defineProperty(TagClass, layerName, {
        get() {
          return layerCache ??= succeed4(TagClass, new this(maker.succeed));
        }
      });
    }
    if (hasDeps) {
      let layerWithDepsCache;
      Object.defineProperty(TagClass, "Default", {
        get() {
          if (isFunction3) {
            return function() {
              return provide(this.DefaultWithoutDependencies.apply(null, arguments), maker.dependencies);
            };
          }
          return layerWithDepsCache ??= provide(this.DefaultWithoutDependencies, maker.dependencies);
        }
      });
    }
    return proxy === true ? makeTagProxy(TagClass) : TagClass;
  };
};
var fn = function(nameOrBody, ...pipeables) {
  const limit = getStackTraceLimit();
  setStackTraceLimit(2);
  const errorDef = new Error();
  setStackTraceLimit(limit);
  if (typeof nameOrBody !== "string") {
    return defineLength(nameOrBody.length, function(...args2) {
      const limit2 = getStackTraceLimit();
      setStackTraceLimit(2);
      const errorCall = new Error();
      setStackTraceLimit(limit2);
      return fnApply({
        self: this,
        body: nameOrBody,
        args: args2,
        pipeables,
        spanName: "<anonymous>",
        spanOptions: {
          context: DisablePropagation.context(true)
        },
        errorDef,
        errorCall
      });
    });
  }
  const name = nameOrBody;
  const options = pipeables[0];
  return (body, ...pipeables2) => defineLength(body.length, {
    [name](...args2) {
      const limit2 = getStackTraceLimit();
      setStackTraceLimit(2);
      const errorCall = new Error();
      setStackTraceLimit(limit2);
      return fnApply({
        self: this,
        body,
        args: args2,
        pipeables: pipeables2,
        spanName: name,
        spanOptions: options,
        errorDef,
        errorCall
      });
    }
  }[name]);
};
function defineLength(length2, fn2) {
  return Object.defineProperty(fn2, "length", {
    value: length2,
    configurable: true
  });
}
function fnApply(options) {
  let effect;
  let fnError = void 0;
  if (isGeneratorFunction(options.body)) {
    effect = fromIterator(() => options.body.apply(options.self, options.args));
  } else {
    try {
      const result = options.body.apply(options.self, options.args);
      if (isEffect(result)) {
        effect = result;
      } else {
        let first2 = true;
        effect = fromIterator(() => {
          if (first2) {
            first2 = false;
            return result;
          }
          return options.body.apply(options.self, options.args);
        });
      }
    } catch (error2) {
      fnError = error2;
      effect = die3(error2);
    }
  }
  if (options.pipeables.length > 0) {
    try {
      for (const x of options.pipeables) {
        effect = x(effect, ...options.args);
      }
    } catch (error2) {
      effect = fnError ? failCause4(sequential(die(fnError), die(error2))) : die3(error2);
    }
  }
  let cache = false;
  const captureStackTrace = () => {
    if (cache !== false) {
      return cache;
    }
    if (options.errorCall.stack) {
      const stackDef = options.errorDef.stack.trim().split("\n");
      const stackCall = options.errorCall.stack.trim().split("\n");
      let endStackDef = stackDef.slice(2).join("\n").trim();
      if (!endStackDef.includes(`(`)) {
        endStackDef = endStackDef.replace(/at (.*)/, "at ($1)");
      }
      let endStackCall = stackCall.slice(2).join("\n").trim();
      if (!endStackCall.includes(`(`)) {
        endStackCall = endStackCall.replace(/at (.*)/, "at ($1)");
      }
      cache = `${endStackDef}
${endStackCall}`;
      return cache;
    }
  };
  const opts = options.spanOptions && "captureStackTrace" in options.spanOptions ? options.spanOptions : {
    captureStackTrace,
    ...options.spanOptions
  };
  return withSpan2(effect, options.spanName, opts);
}
var fnUntraced2 = fnUntraced;
var ensureSuccessType = () => (effect) => effect;
var ensureErrorType = () => (effect) => effect;
var ensureRequirementsType = () => (effect) => effect;

// src/importing/Import.ts
import * as fs4 from "node:fs";
import * as path2 from "node:path";
import { Clock as Clock2, Effect as Effect6, Option as Option5 } from "effect";

// src/events/log/EventLog.ts
import { Context, Data as Data4 } from "effect";

// src/events/log/AppendRequest.ts
import { Effect } from "effect";
var Exact = (version) => ({ _tag: "Exact", version });

// src/events/log/LogErrors.ts
import { Data } from "effect";
var LogBusy = class extends Data.TaggedError("LogBusy") {
  get message() {
    return `${this.log} is busy: another process held it for more than ${this.waitedMs} ms. Nothing was written; try again.`;
  }
};
var VersionConflict = class extends Data.TaggedError("VersionConflict") {
  get message() {
    return `Stream ${this.stream}: expected ${describeExpected(this.expected)}, found ${this.actual === 0 ? "no event" : `version ${this.actual}`}. Nothing was written; take the missed events into account and append again.`;
  }
};
var describeExpected = (expected) => {
  switch (expected._tag) {
    case "Any":
      return "any version";
    case "NoStream":
      return "no event";
    case "Exists":
      return "at least one event";
    case "Exact":
      return `version ${expected.version}`;
  }
};
var LeaseLost = class extends Data.TaggedError("LeaseLost") {
  get message() {
    if (this.suspended !== void 0) {
      return `Task ${this.suspended} was suspended: it stays open in ${this.log}, and nothing more is executed or recorded in it here. A kernel with \`onOpenTasks: "resume"\` goes on with it.`;
    }
    return `${this.log}: "${this.owner}" no longer holds the lease; another kernel took over. Nothing more is executed or recorded here.`;
  }
};
var InvalidEvent = class extends Data.TaggedError("InvalidEvent") {
  get message() {
    const where = this.index === null ? "" : `, event ${this.index}`;
    return `Append to ${this.stream || "(no stream)"}${where}: ${this.reason}. Nothing was written.`;
  }
};
var IdReused = class extends Data.TaggedError("IdReused") {
  get message() {
    return `Event id ${this.id} stands at @${this.position} with other content. Nothing was written; use a new id for a new event.`;
  }
};
var LogCorrupt = class extends Data.TaggedError("LogCorrupt") {
  get message() {
    const where = this.position === null ? "" : ` at @${this.position}`;
    return `${this.log} is damaged${where}: ${this.reason}. \`hindcast log doctor\` says what is damaged, \`hindcast log verify\` how far it is sound; then restore a copy.`;
  }
};
var LogFormatUnsupported = class extends Data.TaggedError("LogFormatUnsupported") {
  get message() {
    return `${this.log} is not a log that this version of Hindcast can open: expected a Hindcast log, found ${this.found}. The file was not changed.`;
  }
};
var DiskFull = class extends Data.TaggedError("DiskFull") {
  get message() {
    return `${this.log}: the disk is full. Nothing of this append was written; make room and try again.`;
  }
};
var LogUnavailable = class extends Data.TaggedError("LogUnavailable") {
  get message() {
    return `${this.log} is not available: ${this.reason}`;
  }
};
var SegmentUnavailable = class extends Data.TaggedError("SegmentUnavailable") {
  get message() {
    return `${this.log}: the events from @${this.first} to @${this.last} were archived in ${this.file}: ${this.reason}. Put the file back, or read only what comes after @${this.last}.`;
  }
};
var InvalidQuery = class extends Data.TaggedError("InvalidQuery") {
  get message() {
    return `Query: ${this.reason}. Nothing was read.`;
  }
};

// src/events/log/Verification.ts
import { Data as Data3, Schema as Schema5 } from "effect";

// src/values/Options.ts
import { SchemaAST as AST2, Data as Data2, Either, Option as Option2, Schema as Schema2 } from "effect";

// src/values/DidYouMean.ts
var MAX_NAMES = 3;
var MAX_LENGTH = 200;
var similarNames = (misspelt, known) => {
  if (misspelt.length > MAX_LENGTH) return [];
  const most = (name) => Math.ceil(Math.min(name.length, misspelt.length) / 3);
  return known.filter((name) => Math.abs(name.length - misspelt.length) <= most(name)).map((name) => ({ name, edits: distance(misspelt.toLowerCase(), name.toLowerCase()) })).filter(({ name, edits }) => edits <= most(name)).sort((a, b) => a.edits - b.edits).slice(0, MAX_NAMES).map(({ name }) => name);
};
var distance = (a, b) => {
  const others = [...b];
  let [earlier, row] = [[], [0, ...others.map((_, index) => index + 1)]];
  let before2 = "";
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [column, other] of others.entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const swapped = before2 === other && letter === others[column - 1] ? (earlier[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, replaced, swapped));
    }
    ;
    [earlier, row, before2] = [row, next, letter];
  }
  return row.at(-1) ?? 0;
};

// src/values/OptionIssues.ts
import { SchemaAST as AST, Option, ParseResult } from "effect";
var issuesOf = (issue, keys6 = []) => {
  switch (issue._tag) {
    case "Pointer":
      return issuesOf(issue.issue, [...keys6, ...[issue.path].flat()]);
    case "Composite":
      return issue.ast._tag === "Union" ? alternatives(issue, keys6) : partsOf(issue, keys6);
    case "Refinement":
      return issue.issue._tag === "Composite" ? issuesOf(issue.issue, keys6) : refused(issue, keys6);
    case "Transformation":
      return issuesOf(issue.issue, keys6);
    case "Missing":
      return [{ keys: keys6, expected: expectation(issue.ast.type), found: "nothing", tolerable: false }];
    case "Unexpected":
      return [{ keys: keys6, expected: "no such field", found: describeValue(issue.actual), tolerable: true }];
    case "Type":
    case "Forbidden":
      return [mismatch(issue, keys6)];
  }
};
var Nearest = /* @__PURE__ */ Symbol.for("hindcast/Nearest");
var describeValue = (value2) => {
  if (Array.isArray(value2)) return value2.length === 0 ? "an empty list" : `a list of ${value2.length}`;
  if (value2 instanceof RegExp) return `the regular expression ${value2}`;
  if (typeof value2 === "object" && value2 !== null) return isPlain(value2) ? "an object" : anInstance(value2);
  if (typeof value2 === "function") return "a function";
  if (typeof value2 === "string")
    return value2.length > 60 ? `${JSON.stringify(value2.slice(0, 60))}\u2026` : JSON.stringify(value2);
  return String(value2);
};
var isPlain = (value2) => {
  const prototype = Object.getPrototypeOf(value2);
  return prototype === null || Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
};
var anInstance = (value2) => {
  const name = value2.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `an instance of ${name}` : "an object of a class";
};
var alternatives = (issue, keys6) => {
  const [inside, ...others] = [issue.issues].flat().filter(isOfKind);
  return inside !== void 0 && others.length === 0 ? issuesOf(inside, keys6) : [mismatch(issue, keys6)];
};
var isOfKind = (part) => part._tag === "Refinement" ? part.issue._tag === "Pointer" || isOfKind(part.issue) : part._tag === "Composite" && part.ast._tag !== "Union";
var partsOf = (composite2, keys6) => {
  const { ast } = composite2;
  const fields = ast._tag === "TypeLiteral" ? ast.propertySignatures.map(({ name }) => String(name)) : [];
  const expected = fields.length === 0 ? "no fields" : `one of the fields ${fields.join(", ")}`;
  return [composite2.issues].flat().flatMap((issue) => {
    if (issue._tag !== "Pointer" || issue.issue._tag !== "Unexpected") return issuesOf(issue, keys6);
    const path14 = [issue.path].flat();
    const [nearest] = similarNames(String(path14.at(-1)), fields);
    const found = { keys: [...keys6, ...path14], expected, found: "an unknown field", tolerable: true };
    return [nearest === void 0 ? found : { ...found, nearest }];
  });
};
var refused = (issue, keys6) => {
  const { issue: inner } = issue;
  const isOfCheck = inner._tag === "Type" && Nearest in inner.ast.annotations;
  return inner._tag === "Pointer" || isOfCheck ? issuesOf(inner, keys6) : [mismatch(issue, keys6)];
};
var mismatch = (issue, keys6) => {
  const nearest = nearestOf(issue);
  return {
    keys: keys6,
    expected: expectation(issue.ast),
    found: issue.message ?? describeValue(issue.actual),
    ...nearest === void 0 ? {} : { nearest },
    tolerable: false
  };
};
var nearestOf = ({ ast, actual }) => {
  const suggested = ast.annotations[Nearest];
  if (typeof suggested === "string") return suggested;
  const [word] = typeof actual === "string" ? similarNames(actual.trim(), wordsOf(ast)) : [];
  return word === void 0 ? void 0 : JSON.stringify(word);
};
var wordsOf = (ast) => {
  if (ast._tag === "Literal") return typeof ast.literal === "string" ? [ast.literal] : [];
  return ast._tag === "Union" ? ast.types.flatMap(wordsOf) : [];
};
var expectation = (ast) => {
  switch (ast._tag) {
    case "StringKeyword":
      return "text";
    case "NumberKeyword":
      return "a number";
    case "BooleanKeyword":
      return "true or false";
    default:
      return Option.getOrElse(AST.getDescriptionAnnotation(ast), () => structure2(ast));
  }
};
var structure2 = (ast) => {
  if (ast._tag === "TupleType") return "a list";
  if (ast._tag === "Union") return oneOf([...new Set(ast.types.map(expectation))]);
  return ast._tag === "TypeLiteral" ? "an object" : String(ast);
};
var oneOf = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

// src/values/Json.ts
import { Schema } from "effect";
var Json = Schema.declare((value2) => findNonJson(value2) === void 0, {
  identifier: "Json",
  description: "Any JSON value (RFC 8259)",
  jsonSchema: {},
  arbitrary: () => (fc) => fc.jsonValue().map((value2) => value2)
});
var JsonObject = Schema.declare(
  (value2) => typeof value2 === "object" && value2 !== null && !Array.isArray(value2) && findNonJson(value2) === void 0,
  {
    identifier: "JsonObject",
    description: "A JSON object (RFC 8259)",
    jsonSchema: { type: "object" },
    arbitrary: () => (fc) => fc.dictionary(fc.string(), fc.jsonValue()).map((value2) => value2)
  }
);
var MAX_DEPTH = 200;
var findNonJson = (value2) => search(value2, 0);
var search = (value2, depth) => {
  switch (typeof value2) {
    case "string":
      return value2.isWellFormed() ? void 0 : { path: "", found: "text with a lone surrogate" };
    case "number":
      return Number.isFinite(value2) ? void 0 : { path: "", found: String(value2) };
    case "boolean":
      return void 0;
    case "object":
      return value2 === null ? void 0 : searchInside(value2, depth);
    default:
      return { path: "", found: typeof value2 === "undefined" ? "undefined" : `a ${typeof value2}` };
  }
};
var searchInside = (value2, depth) => {
  if (depth >= MAX_DEPTH) return { path: "", found: `a cycle or more than ${MAX_DEPTH} levels` };
  if (Array.isArray(value2)) {
    for (let index = 0; index < value2.length; index++) {
      const bad = search(value2[index], depth + 1);
      if (bad !== void 0) return { path: `/${index}${bad.path}`, found: bad.found };
    }
    return void 0;
  }
  const prototype = Object.getPrototypeOf(value2);
  if (prototype !== Object.prototype && prototype !== null) {
    return { path: "", found: `an instance of ${prototype.constructor?.name ?? "a class"}` };
  }
  for (const key in value2) {
    if (!key.isWellFormed()) return { path: `/${pointerToken(key)}`, found: "a key with a lone surrogate" };
    const bad = search(value2[key], depth + 1);
    if (bad !== void 0) return { path: `/${pointerToken(key)}${bad.path}`, found: bad.found };
  }
  return void 0;
};
var pointerToken = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");
var MAX_TEXT_LENGTH = 8192;
var plainText = (text) => (text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}\u2026 (${text.length} characters)`).toWellFormed();

// src/values/PlainOptions.ts
var KeepsUndefined = /* @__PURE__ */ Symbol.for("hindcast/KeepsUndefined");
var copyOf = (ast, value2) => {
  const issues = [];
  return { value: copy3(ast, value2, [], issues), issues };
};
var copy3 = (ast, value2, keys6, issues) => {
  switch (ast._tag) {
    case "Suspend":
      return copy3(ast.f(), value2, keys6, issues);
    case "Refinement":
    case "Transformation":
      return copy3(ast.from, value2, keys6, issues);
    case "Declaration":
    case "UnknownKeyword":
      return isJson(value2) ? structuredClone(value2) : value2;
    case "Union": {
      const fitting = ast.types.filter((type) => describesInside(type, value2));
      const [only] = fitting;
      return only !== void 0 && fitting.length === 1 ? copy3(only, value2, keys6, issues) : value2;
    }
    case "TupleType":
      return Array.isArray(value2) ? copyOfList(ast, value2, keys6, issues) : value2;
    case "TypeLiteral":
      return isObject2(value2) ? copyOfObject(ast, value2, keys6, issues) : value2;
    default:
      return value2;
  }
};
var copyOfList = (ast, list, keys6, issues) => Array.from(list, (item, index) => {
  const type = ast.elements[index]?.type ?? ast.rest[0]?.type;
  return type === void 0 ? item : copy3(type, item, [...keys6, index], issues);
});
var copyOfObject = (ast, object, keys6, issues) => {
  if (!isPlain(object)) {
    const expected = "an object of keys and values";
    issues.push({ keys: keys6, expected, found: describeValue(object), tolerable: false });
    return object;
  }
  const keepsUndefined = ast.annotations[KeepsUndefined] === true;
  return Object.fromEntries(
    Reflect.ownKeys(object).flatMap((key) => {
      const value2 = Reflect.get(object, key);
      if (value2 === void 0 && !keepsUndefined) return [];
      const type = ast.propertySignatures.find(({ name }) => name === key)?.type ?? ast.indexSignatures[0]?.type;
      return [[key, type === void 0 ? value2 : copy3(type, value2, [...keys6, key], issues)]];
    })
  );
};
var describesInside = (ast, value2) => {
  switch (ast._tag) {
    case "Suspend":
      return describesInside(ast.f(), value2);
    case "Refinement":
    case "Transformation":
      return describesInside(ast.from, value2);
    case "TupleType":
      return Array.isArray(value2);
    case "TypeLiteral":
      return isObject2(value2);
    default:
      return false;
  }
};
var isObject2 = (value2) => typeof value2 === "object" && value2 !== null && !Array.isArray(value2);
var isJson = (value2) => typeof value2 === "object" && value2 !== null && findNonJson(value2) === void 0;

// src/values/Options.ts
var InvalidOptions = class extends Data2.TaggedError("InvalidOptions") {
  get message() {
    const count = this.problems.length === 1 ? "1 mistake" : `${this.problems.length} mistakes`;
    return `The options of ${this.of} have ${count}:${this.problems.map((problem) => `
  ${describe(problem)}`).join("")}`;
  }
};
var describe = ({ path: path14, expected, found, nearest }) => `${path14 === "" ? "(all of them)" : path14}: expected ${expected}, found ${found}.${nearest === void 0 ? "" : ` Did you mean ${nearest}?`}`;
var decode2 = (of7, schema2, value2, at2 = []) => {
  const problems = (issues) => new InvalidOptions({ of: of7, problems: issues.map((issue) => problemOf(issue, at2)) });
  let copied;
  try {
    copied = copyOf(schema2.ast, value2);
  } catch (cause3) {
    const found = `a value that throws when it is read (${cause3 instanceof Error ? cause3.message : String(cause3)})`;
    return Either.left(problems([{ keys: [], expected: "an object of keys and values", found, tolerable: false }]));
  }
  const decoded = Schema2.decodeUnknownEither(schema2, STRICT)(copied.value);
  if (Either.isRight(decoded) && copied.issues.length === 0) return Either.right(decoded.right);
  const inside = Either.isLeft(decoded) ? issuesOf(decoded.left.issue) : [];
  const others = inside.filter(({ keys: keys6 }) => !copied.issues.some((issue) => isWithin(keys6, issue.keys)));
  return Either.left(problems([...copied.issues, ...others]));
};
var STRICT = { errors: "all", onExcessProperty: "error" };
var isWithin = (keys6, outer) => outer.every((key, index) => keys6[index] === key);
var problemOf = ({ keys: keys6, tolerable: _, ...issue }, at2) => ({
  path: pathOf([...at2, ...keys6]),
  ...issue
});
var pathOf = (keys6) => keys6.map((key, index) => {
  if (typeof key === "number" || typeof key === "symbol") return `[${String(key)}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
  return index === 0 ? key : `.${key}`;
}).join("");
var of5 = ({ required, optional: optional2 }) => {
  const fields = { ...required };
  const optionals = Object.entries({ ...optional2 }).map(
    ([name, field3]) => [name, Schema2.optionalWith(field3, { exact: true })]
  );
  return Schema2.Struct({ ...fields, ...Object.fromEntries(optionals) });
};
var KEEPS_UNDEFINED = { [KeepsUndefined]: true };
var kind = (description, is2) => Schema2.declare((value2) => is2(value2), { description });
var callable = () => kind("a function", (value2) => typeof value2 === "function");
var LONGEST_MS = 2 ** 31 - 1;
var Milliseconds = Schema2.Number.pipe(
  Schema2.filter((ms) => ms > 0 && ms <= LONGEST_MS),
  Schema2.annotations({ description: `milliseconds, more than 0 and at most ${LONGEST_MS}` })
);
var MillisecondsOrNone = Schema2.Number.pipe(
  Schema2.filter((ms) => ms >= 0 && ms <= LONGEST_MS),
  Schema2.annotations({ description: `milliseconds, 0 or more and at most ${LONGEST_MS}` })
);
var wholeNumber = (least, most = Number.MAX_SAFE_INTEGER) => Schema2.Number.pipe(
  Schema2.filter((number3) => Number.isSafeInteger(number3) && number3 >= least && number3 <= most),
  Schema2.annotations({
    description: most === Number.MAX_SAFE_INTEGER ? `a whole number, ${least} or more` : `a whole number from ${least} to ${most}`
  })
);
var Seed = wholeNumber(0);
var Text = Schema2.String.pipe(
  Schema2.filter((text) => text.trim() !== "" && text.isWellFormed()),
  Schema2.annotations({ description: "text, not empty and without broken characters" })
);
var LONGEST_NAME = 200;
var Name = Schema2.String.pipe(
  Schema2.filter(
    (text) => text.trim() === text && text !== "" && text.length <= LONGEST_NAME && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text)
  ),
  Schema2.annotations({
    description: `1 to ${LONGEST_NAME} printable characters, without spaces at the ends`
  })
);
var Path = Schema2.String.pipe(
  Schema2.filter((path14) => path14.trim() !== "" && !path14.includes("\0")),
  Schema2.annotations({ description: "a path" })
);

// src/events/vocabulary/EventType.ts
import { Schema as Schema4 } from "effect";

// src/values/Time.ts
import { Schema as Schema3 } from "effect";
var EARLIEST = -621672192e5;
var LATEST = 253402300799999;
var Moment = Schema3.Int.pipe(
  Schema3.between(EARLIEST, LATEST),
  Schema3.annotations({
    identifier: "Moment",
    description: "Milliseconds since 1970-01-01Z, from the year 0 to 9999"
  })
);
var isMoment = Schema3.is(Moment);
var isClockTime = (epochMs) => epochMs >= 0 && isMoment(epochMs);
var iso = (epochMs) => isMoment(epochMs) ? new Date(epochMs).toISOString() : `${epochMs} ms since 1970`;
var MAX_UINT64 = 2n ** 64n - 1n;

// src/events/vocabulary/EventType.ts
var SHREDDED = "[shredded]";
var eventType = (name, description, fields, options = {}) => ({
  name,
  version: options.version ?? 1,
  payload: Schema4.Struct(fields).annotations({ identifier: name, description }),
  synced: options.synced ?? false,
  positions: options.positions ?? [],
  // Values of payload fields are JSON.
  personal: options.personal ?? {}
});
var optional = (field3) => Schema4.optionalWith(field3, { exact: true });
var Milliseconds2 = Schema4.NonNegative.pipe(
  Schema4.lessThanOrEqualTo(LATEST - EARLIEST),
  Schema4.annotations({ identifier: "Milliseconds", description: "Duration in ms" })
);
var Sha256 = Schema4.String.pipe(
  Schema4.pattern(/^[0-9a-f]{64}$/),
  Schema4.annotations({ identifier: "Sha256", description: "SHA-256, 64 hexadecimal digits" })
);
var AgentId = Schema4.NonEmptyString.annotations({
  identifier: "AgentId",
  description: "The agent's name in a task with several; absent in a task with one"
});
var ComponentName = Schema4.NonEmptyString.annotations({
  identifier: "ComponentName",
  description: "`plugin/component`"
});
var Failure = Schema4.Struct({
  code: Schema4.NonEmptyString,
  message: Schema4.String
}).annotations({ identifier: "Failure" });

// src/events/log/Verification.ts
var Verification = Data3.taggedEnum();
var sharedVerifyFields = {
  anchor: of5({ required: { position: wholeNumber(0), hash: Sha256 } }),
  onProgress: callable(),
  onCheck: callable()
};
var VerifyOptions = of5({ optional: { ...sharedVerifyFields, quick: Schema5.Boolean } });

// src/events/log/EventLog.ts
var MAIN = "main";
var ON_MAIN = { timeline: MAIN, spans: [{ timeline: MAIN, until: Number.MAX_SAFE_INTEGER }] };
var CaughtUp = class extends Data4.TaggedClass("CaughtUp") {
};
var EventLog = class extends Context.Tag("hindcast/EventLog")() {
};

// src/importing/Archive.ts
import * as fs from "node:fs/promises";
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";
var MAX_ENTRY_BYTES = 128 * 1024 * 1024;
var MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
var END = 101010256;
var END64 = 101075792;
var LOCATOR64 = 117853008;
var CENTRAL = 33639248;
var LOCAL = 67324752;
var UNKNOWN_32 = 4294967295;
var open2 = async (file) => {
  const handle = await fs.open(file, "r");
  try {
    const { size: size9 } = await handle.stat();
    const at2 = async (offset, length2) => {
      if (offset < 0 || length2 < 0 || offset + length2 > size9) throw new Error("the archive is cut off or damaged");
      const buffer = Buffer.alloc(length2);
      await handle.read(buffer, 0, length2, offset);
      return buffer;
    };
    const entries3 = await entriesOf(at2, size9);
    const read5 = async (entry) => {
      if (entry.size > MAX_ENTRY_BYTES)
        throw new Error(`${entry.name} has ${entry.size} bytes, more than ${MAX_ENTRY_BYTES}`);
      const local = await at2(entry.offset, 30);
      if (local.readUInt32LE(0) !== LOCAL) throw new Error(`${entry.name} is not where the archive says`);
      const start3 = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
      return expanded(entry, await at2(start3, entry.compressed));
    };
    return { entries: entries3, read: read5, close: () => handle.close() };
  } catch (cause3) {
    await handle.close();
    throw cause3;
  }
};
var entriesOf = async (at2, size9) => {
  const tailLength = Math.min(size9, 65557);
  const tail = await at2(size9 - tailLength, tailLength);
  let end3 = tail.length - 22;
  while (end3 >= 0 && tail.readUInt32LE(end3) !== END) end3 -= 1;
  if (end3 < 0) throw new Error("the archive has no list of its entries: it is cut off, or still being written");
  let length2 = tail.readUInt32LE(end3 + 12);
  let offset = tail.readUInt32LE(end3 + 16);
  if (offset === UNKNOWN_32 || length2 === UNKNOWN_32) {
    if (end3 < 20 || tail.readUInt32LE(end3 - 20) !== LOCATOR64) throw new Error("the archive is damaged");
    const end64 = await at2(Number(tail.readBigUInt64LE(end3 - 12)), 56);
    if (end64.readUInt32LE(0) !== END64) throw new Error("the archive is damaged");
    length2 = Number(end64.readBigUInt64LE(40));
    offset = Number(end64.readBigUInt64LE(48));
  }
  if (length2 > MAX_DIRECTORY_BYTES) throw new Error("the archive has too many entries");
  const directory = await at2(offset, length2);
  const entries3 = /* @__PURE__ */ new Map();
  for (let position = 0; position + 46 <= directory.length; ) {
    if (directory.readUInt32LE(position) !== CENTRAL) throw new Error("the archive is damaged");
    const nameLength = directory.readUInt16LE(position + 28);
    const extraLength = directory.readUInt16LE(position + 30);
    const extraAt = position + 46 + nameLength;
    const name = directory.toString("utf8", position + 46, extraAt);
    const entry = {
      name,
      method: directory.readUInt16LE(position + 10),
      compressed: directory.readUInt32LE(position + 20),
      size: directory.readUInt32LE(position + 24),
      offset: directory.readUInt32LE(position + 42)
    };
    entries3.delete(name);
    entries3.set(name, with64(entry, directory.subarray(extraAt, extraAt + extraLength)));
    position = extraAt + extraLength + directory.readUInt16LE(position + 32);
  }
  return entries3;
};
var with64 = (entry, extra) => {
  for (let at2 = 0; at2 + 4 <= extra.length; at2 += 4 + extra.readUInt16LE(at2 + 2)) {
    if (extra.readUInt16LE(at2) !== 1) continue;
    let next = at2 + 4;
    const value2 = (known) => {
      if (known !== UNKNOWN_32 || next + 8 > extra.length) return known;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    };
    const size9 = value2(entry.size);
    const compressed = value2(entry.compressed);
    return { ...entry, size: size9, compressed, offset: value2(entry.offset) };
  }
  return entry;
};
var expanded = ({ name, method, size: size9 }, bytes) => {
  switch (method) {
    case 0:
      return bytes;
    case 8:
      return zlib.inflateRawSync(bytes, { maxOutputLength: Math.max(1, size9) });
    case 93:
      return unzstd(bytes, size9);
    default:
      throw new Error(`${name} is compressed by method ${method}; known are deflate (8) and Zstandard (93)`);
  }
};
var unzstd = (bytes, size9) => {
  const parts3 = [];
  let total = 0;
  const decompress = new Decompress((part) => {
    total += part.length;
    if (total > size9) throw new Error("an entry is larger than the archive says");
    parts3.push(part);
  });
  decompress.push(bytes, true);
  return Buffer.concat(parts3);
};

// src/importing/Detection.ts
import * as fs3 from "node:fs/promises";
import * as path from "node:path";
import { Effect as Effect3 } from "effect";

// src/importing/SourceText.ts
import * as crypto from "node:crypto";
import * as fs2 from "node:fs/promises";
import { Data as Data5, Effect as Effect2 } from "effect";
var MAX_LINE_BYTES = 32 * 1024 * 1024;
var MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;
var STEP_BYTES = 1024 * 1024;
var NEWLINE = 10;
var FileRefused = class extends Data5.TaggedError("FileRefused") {
  get message() {
    return `${this.file}: expected ${this.expected}, found ${this.found}. Nothing of it was imported.`;
  }
};
var unreadable = (file) => (cause3) => new FileRefused({
  ...{ file, expected: "a file that can be read" },
  found: cause3 instanceof Error ? cause3.message : String(cause3)
});
var examineLines = (file) => Effect2.tryPromise({
  try: async () => {
    const hash7 = crypto.createHash("sha256");
    let tail = [];
    let tailBytes = 0;
    let bytes = 0;
    let line2 = 1;
    for await (const chunk2 of chunksOf(file, Number.POSITIVE_INFINITY)) {
      let from = 0;
      for (let end3 = chunk2.indexOf(NEWLINE); end3 >= 0; end3 = chunk2.indexOf(NEWLINE, from)) {
        if (tailBytes + end3 - from > MAX_LINE_BYTES) throw tooLong(file, line2);
        for (const part of tail) hash7.update(part);
        hash7.update(chunk2.subarray(from, end3 + 1));
        bytes += tailBytes + end3 + 1 - from;
        [tail, tailBytes, from, line2] = [[], 0, end3 + 1, line2 + 1];
      }
      if (from < chunk2.length) tail.push(chunk2.subarray(from));
      tailBytes += chunk2.length - from;
      if (tailBytes > MAX_LINE_BYTES) throw tooLong(file, line2);
    }
    const last3 = Buffer.concat(tail);
    const isWhole = last3.length > 0 && isJson2(last3.toString("utf8"));
    if (isWhole) hash7.update(last3);
    return {
      digest: hash7.digest("hex"),
      bytes: isWhole ? bytes + last3.length : bytes,
      partial: last3.length > 0 && !isWhole
    };
  },
  catch: (cause3) => cause3 instanceof FileRefused ? cause3 : unreadable(file)(cause3)
});
var tooLong = (file, line2) => new FileRefused({
  ...{ file, expected: `lines of at most ${MAX_LINE_BYTES / 1024 / 1024} MiB` },
  found: `a longer one, line ${line2}`
});
var isJson2 = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
var examineWhole = (file, limit) => Effect2.tryPromise({
  try: async () => {
    const hash7 = crypto.createHash("sha256");
    let bytes = 0;
    for await (const chunk2 of chunksOf(file, Number.POSITIVE_INFINITY)) {
      hash7.update(chunk2);
      bytes += chunk2.length;
      if (bytes > limit)
        throw new FileRefused({
          file,
          expected: `a document of at most ${limit / 1024 / 1024} MiB`,
          found: "a larger one"
        });
    }
    return { digest: hash7.digest("hex"), bytes, partial: false };
  },
  catch: (cause3) => cause3 instanceof FileRefused ? cause3 : unreadable(file)(cause3)
});
async function* linesOf(file, bytes) {
  let tail = [];
  for await (const chunk2 of chunksOf(file, bytes)) {
    const end3 = chunk2.lastIndexOf(NEWLINE);
    if (end3 < 0) tail.push(chunk2);
    else {
      const text = Buffer.concat([...tail, chunk2.subarray(0, end3)]).toString("utf8");
      tail = [chunk2.subarray(end3 + 1)];
      yield text.split("\n");
    }
  }
  const last3 = Buffer.concat(tail);
  if (last3.length > 0) yield [last3.toString("utf8")];
}
async function* chunksOf(file, bytes) {
  const handle = await fs2.open(file, "r");
  try {
    let position = 0;
    while (position < bytes) {
      const buffer = Buffer.allocUnsafe(Math.min(STEP_BYTES, bytes - position));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
var beginning = async (file, bytes) => {
  for await (const chunk2 of chunksOf(file, bytes)) return chunk2;
  return Buffer.alloc(0);
};

// src/importing/Untrusted.ts
var MAX_TEXT = 1024 * 1024;
var MAX_DEPTH2 = 150;
var field = (value2, key) => typeof value2 === "object" && value2 !== null && Object.hasOwn(value2, key) ? value2[key] : void 0;
var at = (value2, ...keys6) => keys6.reduce((inner, key) => field(inner, key), value2);
var isObject3 = (value2) => typeof value2 === "object" && value2 !== null && !Array.isArray(value2);
var textOf = (value2, key) => {
  const found = field(value2, key);
  return typeof found === "string" && found !== "" ? found : void 0;
};
var numberOf = (value2, key) => {
  const found = field(value2, key);
  return typeof found === "number" && Number.isFinite(found) ? found : void 0;
};
var countOf = (value2, key) => {
  const found = numberOf(value2, key);
  return found === void 0 ? 0 : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(found)));
};
var listOf = (value2, key) => {
  const found = field(value2, key);
  return Array.isArray(found) ? found : [];
};
var parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
};
var logJson = (value2) => {
  const bytes = sizeOf(value2, 0);
  if (bytes >= 0) return { json: value2, bytes, changed: 0 };
  const counter6 = { changed: 0 };
  const json = repaired(value2, 0, counter6);
  return { json, bytes: Math.max(0, sizeOf(json, 0)), changed: counter6.changed };
};
var sizeOf = (value2, depth) => {
  switch (typeof value2) {
    case "string":
      return value2.length > MAX_TEXT || !value2.isWellFormed() ? Number.NEGATIVE_INFINITY : value2.length + 2;
    case "number":
      return Number.isFinite(value2) ? 8 : Number.NEGATIVE_INFINITY;
    case "boolean":
      return 5;
    case "object": {
      if (value2 === null) return 4;
      if (depth >= MAX_DEPTH2) return Number.NEGATIVE_INFINITY;
      let size9 = 2;
      if (Array.isArray(value2)) for (const item of value2) size9 += 1 + sizeOf(item, depth + 1);
      else
        for (const key of Object.keys(value2))
          size9 += (key.isWellFormed() ? key.length + 4 : Number.NEGATIVE_INFINITY) + sizeOf(field(value2, key), depth + 1);
      return size9;
    }
    default:
      return Number.NEGATIVE_INFINITY;
  }
};
var repaired = (value2, depth, counter6) => {
  if (typeof value2 === "string") {
    if (value2.length <= MAX_TEXT && value2.isWellFormed()) return value2;
    counter6.changed += 1;
    return shortened(value2);
  }
  if (value2 === null || typeof value2 === "boolean" || typeof value2 === "number" && Number.isFinite(value2))
    return value2;
  if (typeof value2 !== "object" || depth >= MAX_DEPTH2) {
    counter6.changed += 1;
    return typeof value2 === "object" ? `[nested deeper than ${MAX_DEPTH2} levels]` : String(value2);
  }
  if (Array.isArray(value2)) return value2.map((item) => repaired(item, depth + 1, counter6));
  return Object.fromEntries(
    Object.entries(value2).map(([key, inner]) => [key.toWellFormed(), repaired(inner, depth + 1, counter6)])
  );
};
var shortened = (text) => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\u2026 [${text.length - MAX_TEXT} more characters were left out by the import]`).toWellFormed();
var asObject = (value2) => {
  const { json } = logJson(value2);
  return isObject3(json) ? json : { value: json };
};
var nameFrom = (text) => {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
  return plain.length <= 120 ? plain : `${plain.slice(0, 119)}\u2026`;
};
var filePointer = (path14) => `/files/${pointerToken(path14)}`;

// src/importing/Detection.ts
var HEAD_BYTES = 64 * 1024;
var HEAD_LINES = 10;
var MAY_HOLD_RUNS = /\.(?:jsonl|json|eval|traj|ndjson)$/i;
var PASSED_OVER = /* @__PURE__ */ new Set(["node_modules", ".git"]);
var find2 = (paths2, sources) => Effect3.gen(function* () {
  const found = [];
  const unknown2 = [];
  for (const named of paths2) {
    const stat2 = yield* Effect3.tryPromise({ try: () => fs3.stat(named), catch: unreadable(named) });
    const files = stat2.isDirectory() ? yield* filesIn(named) : [named];
    for (const file of files) {
      const source2 = yield* formatOf(file, sources);
      if (source2 !== void 0) found.push({ file, source: source2 });
      else if (stat2.isDirectory()) unknown2.push(file);
      else return yield* noFormat(file, sources);
    }
  }
  const once4 = new Map(found.map((one) => [path.resolve(one.file), one]));
  return { found: [...once4.values()], unknown: unknown2 };
});
var filesIn = (directory) => Effect3.gen(function* () {
  const entries3 = yield* Effect3.tryPromise({
    try: () => fs3.readdir(directory, { withFileTypes: true }),
    catch: unreadable(directory)
  });
  const files = [];
  for (const entry of entries3.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) files.push(...yield* filesIn(inner));
    else if (entry.isFile() && MAY_HOLD_RUNS.test(entry.name)) files.push(inner);
  }
  return files;
});
var formatOf = (file, sources) => Effect3.gen(function* () {
  const bytes = yield* Effect3.tryPromise({ try: () => beginning(file, HEAD_BYTES), catch: unreadable(file) });
  const head5 = headOf(file, bytes);
  const [first2, second] = sources.filter((source2) => source2.recognizes(head5));
  if (first2 !== void 0 && second !== void 0)
    return yield* new FileRefused({
      ...{ file, expected: "a file of one format" },
      found: `one that may be a ${first2.title} or a ${second.title}; say which with --from ${first2.name} or --from ${second.name}`
    });
  return first2;
});
var headOf = (file, bytes) => {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const lines = text.split("\n", HEAD_LINES);
  if (lines.length < HEAD_LINES && bytes.length === HEAD_BYTES) lines.pop();
  return {
    name: path.basename(file),
    path: file.split(path.sep).join("/"),
    text,
    lines: lines.map(parsed).filter((value2) => typeof value2 === "object" && value2 !== null),
    zipped: bytes.length >= 4 && bytes.readUInt32LE(0) === 67324752
  };
};
var noFormat = (file, sources) => Effect3.gen(function* () {
  const bytes = yield* Effect3.tryPromise({ try: () => beginning(file, HEAD_BYTES), catch: unreadable(file) });
  const { text, lines } = headOf(file, bytes);
  const isOwnExport = lines.some(
    (line2) => typeof line2 === "object" && line2 !== null && "hash" in line2 && "position" in line2
  );
  return yield* new FileRefused({
    ...{ file, expected: `a ${sources.map(({ title }) => title).join(", a ")}` },
    found: isOwnExport ? "events that Hindcast exported; `hindcast log import FILE` creates their log again" : text.trim() === "" ? "an empty file" : `something else, which begins with ${JSON.stringify(text.slice(0, 60).toWellFormed())}`
  });
});

// src/values/Digest.ts
import * as crypto2 from "node:crypto";
import canonicalize from "canonicalize";
var sha256 = (text) => crypto2.hash("sha256", text, "hex");
var digest = (value2) => sha256(canonicalize(value2) ?? "null");

// src/importing/EventIds.ts
var idOf = (...parts3) => {
  const hex = sha256(JSON.stringify(parts3));
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3 | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
var IdSet = class {
  #slots = new Uint32Array(2 * 1024);
  #size = 0;
  /** Adds an id that `idOf` made. Returns whether it was new. */
  add(id) {
    const [high, low] = bitsOf(id);
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) return false;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length) this.#grow();
    return true;
  }
  has(id) {
    const slot = this.#slotOf(...bitsOf(id));
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }
  /** Where the bits are, or the free place where they belong. */
  #slotOf(high, low) {
    const mask = this.#slots.length / 2 - 1;
    let slot = low & mask;
    while (true) {
      const [first2, second] = [this.#slots[2 * slot], this.#slots[2 * slot + 1]];
      if (first2 === high && second === low || first2 === 0 && second === 0) return 2 * slot;
      slot = slot + 1 & mask;
    }
  }
  #grow() {
    const before2 = this.#slots;
    this.#slots = new Uint32Array(before2.length * 2);
    for (let at2 = 0; at2 < before2.length; at2 += 2) {
      const [high = 0, low = 0] = [before2[at2], before2[at2 + 1]];
      if (high === 0 && low === 0) continue;
      const slot = this.#slotOf(high, low);
      this.#slots[slot] = high;
      this.#slots[slot + 1] = low;
    }
  }
};
var bitsOf = (id) => [Number.parseInt(id.slice(0, 8), 16), Number.parseInt(id.slice(28, 36), 16) | 1].map((bits) => bits >>> 0);

// src/importing/EditedFiles.ts
var MAX_FILE = 1024 * 1024;
var MAX_TOTAL = 32 * 1024 * 1024;
var EditedFiles = class {
  #contents = /* @__PURE__ */ new Map();
  #characters = 0;
  /** The content of a file as far as it is known; undefined if nothing is known of it. */
  get(path14) {
    return this.#contents.get(path14);
  }
  /** Every file with its content. */
  entries() {
    return this.#contents.entries();
  }
  /** Sets a file's content. Returns what is kept: null for one that is not known or too large. */
  set(path14, content) {
    const before2 = this.#contents.get(path14)?.length ?? 0;
    const room = MAX_TOTAL - this.#characters + before2;
    const kept = content === null || content.length > Math.min(MAX_FILE, room) ? null : content;
    this.#characters += (kept?.length ?? 0) - before2;
    this.#contents.set(path14, kept);
    return kept;
  }
  delete(path14) {
    this.#characters -= this.#contents.get(path14)?.length ?? 0;
    this.#contents.delete(path14);
  }
};
var edited = (text, edits) => {
  let now = text;
  for (const { from, to, all: all4 } of edits) {
    const found = from === "" ? now === "" ? 0 : -1 : now.indexOf(from);
    if (found < 0) return null;
    now = all4 && from !== "" ? now.split(from).join(to) : now.slice(0, found) + to + now.slice(found + from.length);
  }
  return now;
};

// src/importing/SourceTimes.ts
var HAS_ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/i;
var timeOf = (value2) => {
  const found = typeof value2 === "number" ? fromNumber(value2) : typeof value2 === "string" ? /^\d{16,}$/.test(value2) ? Number(BigInt(value2) / 1000000n) : Date.parse(/T\d/.test(value2) && !HAS_ZONE.test(value2) ? `${value2}Z` : value2) : Number.NaN;
  return Number.isFinite(found) && isMoment(Math.round(found)) ? Math.round(found) : null;
};
var fromNumber = (value2) => {
  const size9 = Math.abs(value2);
  if (size9 >= 1e17) return value2 / 1e6;
  if (size9 >= 1e14) return value2 / 1e3;
  return size9 >= 1e11 ? value2 : value2 * 1e3;
};
var elapsed = (from, to) => from === null || to === null ? 0 : Math.max(0, to - from);

// src/importing/Tally.ts
var MAX_NAMES2 = 200;
var increase = (counts2, name, by2 = 1) => {
  const key = counts2.has(name) || counts2.size < MAX_NAMES2 ? name : "others";
  counts2.set(key, (counts2.get(key) ?? 0) + by2);
};

// src/importing/Run.ts
var ofAgent = (agentId3) => agentId3 === void 0 ? {} : { agentId: agentId3 };
var Run = class {
  taskId;
  start;
  files = new EditedFiles();
  /** The commands that have no outcome yet, by the source's id of the call. */
  pending = /* @__PURE__ */ new Map();
  /** The last known time of the source. */
  lastAt;
  closed = false;
  #runs;
  /** What the model of each agent will be told with its next request. */
  #untold = /* @__PURE__ */ new Map();
  /** The key of the last event that each agent was told something by. */
  #lastTold = /* @__PURE__ */ new Map();
  #environmentShown = false;
  constructor(runs, start3) {
    this.#runs = runs;
    this.start = start3;
    this.lastAt = start3.at;
    this.taskId = taskIdOf(runs.source, start3.id);
    this.#write("opened", this.#opening(start3.about), { at: start3.at, cause: null });
  }
  /** Somebody said something to the agent. `content` is text or content parts. */
  said(key, content, when3) {
    const { json } = logJson(content);
    this.#write(
      `said:${key}`,
      { type: "InputReceived", payload: { source: when3.source ?? "user", content: json, ...ofAgent(when3.agentId) } },
      when3
    );
    this.told({ role: "user", content: partsOf2(json) }, when3.agentId);
    this.#lastTold.set(when3.agentId ?? "", `said:${key}`);
  }
  /** The model will be told a message with its next request. */
  told(message, agentId3) {
    const untold = this.#untold.get(agentId3 ?? "");
    if (untold === void 0) this.#untold.set(agentId3 ?? "", [message]);
    else untold.push(message);
  }
  /** A model was asked, and answered. */
  turn({ key, provider, model, parts: parts3, usage, askedAt, at: at2, agentId: agentId3, messages }) {
    this.#asked(key, provider, model, askedAt ?? at2, agentId3, messages);
    const finish = parts3.some((part) => part.type === "call") ? "calls" : "stop";
    this.#write(
      `answered:${key}`,
      {
        type: "ModelResponded",
        payload: {
          response: { parts: parts3.map((part) => logJson(part).json), finish },
          usage,
          latencyMs: elapsed(askedAt, at2)
        }
      },
      { at: at2, cause: `asked:${key}` }
    );
  }
  /** A model was asked, and did not answer. */
  turnFailed(key, {
    provider,
    model,
    kind: kind2,
    reason: reason2,
    at: at2,
    agentId: agentId3
  }) {
    this.#asked(key, provider, model, at2, agentId3);
    this.#write(
      `answered:${key}`,
      { type: "ModelFailed", payload: { kind: kind2, reason: plainText(reason2), latencyMs: 0 } },
      { at: at2, cause: `asked:${key}` }
    );
  }
  #asked(key, provider, model, at2, agentId3, messages) {
    const request2 = { messages: messages ?? this.#untold.get(agentId3 ?? "") ?? [] };
    this.#untold.delete(agentId3 ?? "");
    const { json } = logJson(request2);
    this.#write(
      `asked:${key}`,
      {
        type: "ModelCalled",
        payload: {
          provider: nameFrom(provider),
          model: nameFrom(model),
          requestDigest: sha256(JSON.stringify(json)),
          request: json,
          ...ofAgent(agentId3)
        }
      },
      { at: at2, cause: this.#lastTold.get(agentId3 ?? "") ?? "opened" }
    );
  }
  /** The agent said something to whoever listens. */
  spoke(key, text, when3) {
    const { json } = logJson(text);
    this.#write(
      `spoke:${key}`,
      { type: "MessageSent", payload: { content: String(json), format: "markdown", ...ofAgent(when3.agentId) } },
      when3
    );
  }
  /** A tool was called. Nothing in a source says what let the call pass, so that the rule is `import`. */
  called(callId, tool, args2, when3) {
    const commandId2 = `${this.taskId}/${nameFrom(callId)}`;
    const { json } = logJson(args2 ?? null);
    const key = `call:${callId}`;
    this.pending.set(callId, { commandId: commandId2, tool, args: json, at: when3.at, agentId: when3.agentId });
    this.#write(
      key,
      {
        type: "ActuatorCommanded",
        payload: {
          commandId: commandId2,
          actuator: `${this.#runs.source}/${nameFrom(tool)}`,
          args: json,
          argsDigest: digest(json),
          priority: 0,
          callId: nameFrom(callId),
          ...ofAgent(when3.agentId)
        }
      },
      when3
    );
  }
  /** Lets a pending call pass and begin. */
  #dispatched(callId, { commandId: commandId2, at: at2 }) {
    this.#write(
      `allowed:${callId}`,
      { type: "CommandAllowed", payload: { commandId: commandId2, rule: "import" } },
      { at: at2, cause: `call:${callId}` }
    );
    this.#write(
      `dispatched:${callId}`,
      { type: "CommandDispatched", payload: { commandId: commandId2 } },
      { at: at2, cause: `allowed:${callId}` }
    );
  }
  /** A call has its result. Returns the call, or undefined if it is not known, or has one already. */
  result(callId, { ok, content, at: at2 }) {
    const command = this.#settle(callId);
    if (command === void 0) return void 0;
    const { commandId: commandId2, tool, agentId: agentId3 } = command;
    const { json } = logJson(content ?? null);
    this.#dispatched(callId, command);
    const latencyMs2 = elapsed(command.at, at2);
    const cause3 = `dispatched:${callId}`;
    if (ok)
      this.#write(
        `outcome:${callId}`,
        { type: "CommandSucceeded", payload: { commandId: commandId2, result: json, latencyMs: latencyMs2 } },
        { at: at2, cause: cause3 }
      );
    else {
      const message = plainText(typeof json === "string" ? json : JSON.stringify(json));
      this.#write(
        `outcome:${callId}`,
        { type: "CommandFailed", payload: { commandId: commandId2, error: { code: "failed", message }, latencyMs: latencyMs2 } },
        { at: at2, cause: cause3 }
      );
    }
    this.#toldResult(callId, tool, !ok, json, agentId3);
    return command;
  }
  /** A call was refused by whoever had to approve it, as the source says. It was not executed. */
  denied(callId, reason2, at2) {
    const command = this.#settle(callId);
    if (command === void 0) return void 0;
    const { commandId: commandId2, tool, agentId: agentId3 } = command;
    this.#write(
      `outcome:${callId}`,
      { type: "CommandDenied", payload: { commandId: commandId2, rule: "import", reason: plainText(reason2) } },
      { at: at2, cause: `call:${callId}` }
    );
    this.#toldResult(callId, tool, true, plainText(reason2), agentId3);
    return command;
  }
  #settle(callId) {
    const command = this.pending.get(callId);
    this.pending.delete(callId);
    return command;
  }
  #toldResult(callId, tool, isError, content, agentId3) {
    this.told({ role: "tool", content: [{ callId: nameFrom(callId), tool, isError, content }] }, agentId3);
    this.#lastTold.set(agentId3 ?? "", `outcome:${callId}`);
  }
  /** A conversation was replaced by a summary. */
  compacted(key, messages, summary5, at2) {
    const { json } = logJson(summary5);
    this.#write(
      `compacted:${key}`,
      {
        type: "MemoryCompacted",
        payload: { policy: this.#runs.source, messages: Math.max(1, messages), summary: String(json) }
      },
      { at: at2 }
    );
  }
  /** What is known of a file without the agent having changed it: it was read. */
  fileKnown(path14, content) {
    if (this.files.get(path14) === void 0) this.files.set(path14, content);
  }
  /**
   * A call changed a file: its new content, null where that is not known, or undefined where the file is gone. If the
   * file's content before is known and was not shown yet, it is shown first, so that the change is a difference.
   */
  fileChanged(callId, path14, before2, after4, at2) {
    const plugin3 = this.#runs.source;
    const patch9 = [];
    const cause3 = `outcome:${callId}`;
    const pointer = filePointer(path14.toWellFormed());
    if (!this.#environmentShown) this.#showEnvironment("environment", at2);
    if (before2 !== void 0 && !this.#shown.has(path14)) {
      this.#write(
        `found:${path14}:${callId}`,
        {
          type: "EnvironmentChanged",
          payload: { plugin: plugin3, patch: [{ op: "add", path: pointer, value: before2?.toWellFormed() ?? null }] }
        },
        { at: at2, cause: `call:${callId}` }
      );
      this.#shown.add(path14);
    }
    if (after4 === void 0) {
      this.files.delete(path14);
      if (!this.#shown.delete(path14)) return;
      patch9.push({ op: "remove", path: pointer });
    } else {
      const kept = this.files.set(path14, after4);
      this.#shown.add(path14);
      patch9.push({ op: "add", path: pointer, value: kept?.toWellFormed() ?? null });
    }
    this.#write(`changed:${path14}:${callId}`, { type: "EnvironmentChanged", payload: { plugin: plugin3, patch: patch9 } }, { at: at2, cause: cause3 });
  }
  /** The files that are in the environment's document. */
  #shown = /* @__PURE__ */ new Set();
  #showEnvironment(key, at2) {
    this.#environmentShown = true;
    this.#write(key, this.#environment(), { at: at2 });
  }
  #environment() {
    const files = Object.fromEntries(
      [...this.#shown].map((path14) => [path14.toWellFormed(), this.files.get(path14)?.toWellFormed() ?? null])
    );
    return { type: "EnvironmentReset", payload: { plugin: this.#runs.source, seed: 0, options: {}, state: { files } } };
  }
  /** A world's own reward or state document, where a source has one. */
  stateSet(key, state, at2) {
    this.#environmentShown = true;
    this.#write(
      key,
      {
        type: "EnvironmentReset",
        payload: { plugin: this.#runs.source, seed: 0, options: {}, state: logJson(state).json }
      },
      { at: at2 }
    );
  }
  /** Operations of a JSON Patch that a source recorded of its state. */
  stateChanged(key, patch9, at2, cause3) {
    this.#write(key, { type: "EnvironmentChanged", payload: { plugin: this.#runs.source, patch: patch9 } }, { at: at2, cause: cause3 });
  }
  /** Keeps a record as it is: no other type of event stands for it. */
  keep(key, kind2, record2, when3) {
    increase(this.#runs.kept, kind2);
    this.#write(
      `kept:${key}`,
      {
        type: "SourceRecordKept",
        payload: {
          source: this.#runs.source,
          kind: nameFrom(kind2),
          record: logJson(record2).json,
          ...ofAgent(when3.agentId)
        }
      },
      when3
    );
  }
  /** A remark of the import on the run. */
  note(key, text, at2) {
    this.#write(`note:${key}`, { type: "NoteAdded", payload: { about: this.taskId, text: plainText(text) } }, { at: at2 });
  }
  /** Ends the run. Calls without a result have an outcome that is not known. */
  close(key, outcome, reason2, at2) {
    for (const [callId, command] of this.pending) {
      this.#dispatched(callId, command);
      this.#write(
        `unknown:${callId}`,
        { type: "CommandOutcomeUnknown", payload: { commandId: command.commandId } },
        { at: at2, cause: `dispatched:${callId}` }
      );
    }
    this.pending.clear();
    this.closed = true;
    this.#write(`closed:${key}`, { type: "TaskClosed", payload: { outcome, reason: plainText(reason2) } }, { at: at2 });
  }
  /**
   * The first events of the task in which the run goes on, since the log has closed the one before: its opening, and
   * its files as they are now.
   */
  continuedAs(part) {
    const about = { ...this.start.about, continues: this.taskId, part };
    const opened2 = {
      run: this,
      key: `opened:${part}`,
      cause: null,
      at: this.lastAt,
      bytes: 0,
      body: this.#opening(about)
    };
    if (!this.#environmentShown) return [opened2];
    return [opened2, { ...opened2, key: `environment:${part}`, cause: opened2.key, body: this.#environment() }];
  }
  #opening(about) {
    const { goal, agent } = this.start;
    return {
      type: "TaskOpened",
      payload: {
        goal: plainText(goal),
        agent: nameFrom(agent),
        measures: [],
        environment: { [this.#runs.source]: asObject(about) }
      }
    };
  }
  #write(key, body, { at: at2, cause: cause3 = "opened" }) {
    if (at2 !== null) {
      if (this.lastAt !== null && at2 < this.lastAt) this.#runs.remark("times that go back: the order is the file's");
      this.lastAt = at2;
    }
    this.#runs.add({ run: this, key, cause: cause3, at: at2 ?? this.lastAt, body, bytes: logJson(body.payload).bytes });
  }
};
var taskIdOf = (source2, id) => /^[\w.@+=-]{1,200}$/.test(id) ? `${source2}-${id}` : `${source2}-${sha256(id).slice(0, 32)}`;
var partsOf2 = (content) => typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [{ type: "text", text: JSON.stringify(content) }];

// src/importing/Runs.ts
var Runs = class {
  source;
  scores = [];
  /** Records that are kept as they are, by kind. */
  kept = /* @__PURE__ */ new Map();
  /** Records that are not in the log, by kind and reason. */
  leftOut = /* @__PURE__ */ new Map();
  /** Remarks on what was found. */
  remarks = /* @__PURE__ */ new Map();
  #events = [];
  #runs = [];
  constructor(source2) {
    this.source = source2;
  }
  /** Begins a run. */
  open(start3) {
    const run = new Run(this, start3);
    this.#runs.push(run);
    return run;
  }
  /** Every run so far, in the order in which they began. */
  get all() {
    return this.#runs;
  }
  add(event) {
    this.#events.push(event);
  }
  /** The events since this was last called, in order. */
  drain() {
    if (this.#events.length === 0) return NONE;
    const events = this.#events;
    this.#events = [];
    return events;
  }
  /** Counts a record that is not in the log. */
  leaveOut(kind2, why) {
    increase(this.leftOut, `${kind2}: ${why}`);
  }
  /** Counts something that whoever imports has to know. */
  remark(what) {
    increase(this.remarks, what);
  }
};
var NONE = [];

// src/importing/ScoreAppender.ts
import { Effect as Effect5, Option as Option4 } from "effect";

// src/values/groupBy.ts
var groupBy = (items, keysOf) => {
  const groups = /* @__PURE__ */ new Map();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === void 0) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
};

// src/values/Sum.ts
import { Schema as Schema6 } from "effect";
var Sum = Schema6.Struct({ sum: Schema6.Finite, lost: Schema6.Finite }).annotations({ identifier: "Sum" });
var zero2 = { sum: 0, lost: 0 };
var add6 = ({ sum: sum2, lost }, value2) => {
  const next = finite(sum2 + value2);
  const error2 = Math.abs(sum2) >= Math.abs(value2) ? sum2 - next + value2 : value2 - next + sum2;
  return { sum: next, lost: finite(lost + error2) };
};
var finite = (number3) => Math.max(-Number.MAX_VALUE, Math.min(number3, Number.MAX_VALUE));
var value = ({ sum: sum2, lost }) => round(finite(sum2 + lost));
var of6 = (values3) => value(values3.reduce(add6, zero2));
var round = (number3) => Number(number3.toFixed(9)) + 0;

// src/importing/TaskAppender.ts
import { Effect as Effect4, Option as Option3, Stream } from "effect";

// src/events/vocabulary/Acting.ts
import { Schema as Schema7 } from "effect";
var commandId = Schema7.NonEmptyString.annotations({ description: "The command these events are about" });
var rule = Schema7.String.annotations({ description: "The gate rule that decided" });
var actingEvents = [
  eventType(
    "ActuatorCommanded",
    "A command was requested of an actuator.",
    {
      commandId,
      actuator: ComponentName,
      args: Json,
      argsDigest: Sha256.annotations({ description: "Over the canonical JSON of `args` (RFC 8785)" }),
      priority: Schema7.Finite,
      callId: optional(Schema7.NonEmptyString.annotations({ description: "The model's id of the tool call" })),
      agentId: optional(AgentId),
      source: optional(
        Schema7.Literal("scenario").annotations({
          description: "The scenario of the task gave it: it is no step of an agent"
        })
      )
    },
    { personal: { args: null } }
  ),
  eventType("CommandAllowed", "The gate let a command pass.", { commandId, rule }),
  eventType(
    "CommandDenied",
    "The gate refused a command; it was not executed.",
    {
      commandId,
      rule,
      reason: Schema7.String
    },
    { personal: { reason: SHREDDED } }
  ),
  eventType(
    "CommandDispatched",
    "A command is about to leave the kernel.",
    {
      commandId,
      round: optional(
        Schema7.NonEmptyString.annotations({
          description: "The first command of its round, if it reaches a world in one"
        })
      )
    },
    { synced: true }
  ),
  eventType(
    "CommandSucceeded",
    "A command was executed.",
    { commandId, result: Json, latencyMs: Milliseconds2 },
    { personal: { result: null } }
  ),
  eventType(
    "CommandFailed",
    "A command was refused by the world, or failed on the way.",
    {
      commandId,
      error: Failure,
      latencyMs: optional(Milliseconds2)
    },
    { personal: { error: { code: "shredded", message: SHREDDED } } }
  ),
  eventType("CommandOutcomeUnknown", "A kernel ended between a command's dispatch and its outcome.", { commandId })
];

// src/events/vocabulary/Confirming.ts
import { Schema as Schema8 } from "effect";
var confirmationId = Schema8.NonEmptyString;
var argsDigest = Sha256.annotations({ description: "Of the arguments that were shown (RFC 8785)" });
var shownDigest = optional(
  Sha256.annotations({ description: "Of all that is asked, see `questionDigest`; absent in events of version 1" })
);
var confirmingEvents = [
  eventType(
    "ConfirmationRequested",
    "A command, or a request of a plugin to the host, waits for a person.",
    {
      confirmationId,
      commandId: optional(Schema8.NonEmptyString.annotations({ description: "The command that waits" })),
      requestId: optional(Schema8.NonEmptyString.annotations({ description: "The request to the host that waits" })),
      argsDigest,
      shown: JsonObject.annotations({ description: "What the person is shown: all of what is asked, and its risk" }),
      shownDigest,
      securityWarning: optional(Json),
      expiresAt: Moment
    },
    { version: 2, synced: true, personal: { shown: {}, securityWarning: null } }
  ),
  eventType(
    "ConfirmationDecided",
    "A person approved or rejected what waits.",
    {
      confirmationId,
      approved: Schema8.Boolean,
      by: Schema8.NonEmptyString,
      channel: Schema8.NonEmptyString.annotations({ description: "`terminal`, `cli`, `program` \u2026" }),
      reason: optional(Schema8.String),
      argsDigest,
      shownDigest,
      waitedMs: Milliseconds2
    },
    { version: 2, synced: true, personal: { reason: SHREDDED } }
  ),
  eventType(
    "ConfirmationExpired",
    "Nobody decided in time; what waited is not executed.",
    { confirmationId },
    {
      synced: true
    }
  ),
  eventType(
    "ConfirmationWithdrawn",
    "It no longer waits: its task or its kernel ended, or its question was disturbed.",
    { confirmationId, reason: optional(Schema8.String) },
    { synced: true }
  )
];
var confirmingUpcasters = [
  { type: "ConfirmationRequested", from: 1, upcast: (payload) => payload },
  { type: "ConfirmationDecided", from: 1, upcast: (payload) => payload }
];

// src/events/vocabulary/Deciding.ts
import { Schema as Schema9 } from "effect";
var ModelUsage = Schema9.Struct({
  inputTokens: Schema9.NonNegativeInt.annotations({ description: "All of the request, the cached part among it" }),
  outputTokens: Schema9.NonNegativeInt.annotations({ description: "All of the answer, reasoning among it" }),
  cachedTokens: optional(
    Schema9.NonNegativeInt.annotations({ description: "Part of `inputTokens`, read from the provider's cache" })
  ),
  reasoningTokens: optional(Schema9.NonNegativeInt.annotations({ description: "Part of `outputTokens`" }))
}).annotations({ identifier: "ModelUsage" });
var ModelCost = Schema9.Struct({
  usd: Schema9.NonNegative.annotations({ description: "In US dollars" }),
  prices: Schema9.NonEmptyString.annotations({ description: "The table of prices, `name@version`" })
}).annotations({ identifier: "ModelCost" });
var ModelFailureKind = Schema9.Literal(
  ...["unauthorized", "unknown-model", "invalid-request", "context-too-long", "refused"],
  ...["rate-limited", "overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"],
  ...["cancelled", "interrupted", "not-recorded"]
).annotations({ identifier: "ModelFailureKind" });
var InputDelivery = Schema9.Literal("queued", "steering", "interrupting").annotations({
  identifier: "InputDelivery"
});
var latencyMs = Milliseconds2;
var agentId = optional(AgentId);
var decidingEvents = [
  eventType(
    "InputReceived",
    "Something was said to the agent.",
    {
      source: Schema9.String.annotations({ description: "Who or what it came from, such as `chat`" }),
      content: Json.annotations({ description: "Text, or content parts as messages to models have them" }),
      delivery: optional(InputDelivery.annotations({ description: "When the agent is given it; default: `queued`" })),
      agentId
    },
    { personal: { content: null } }
  ),
  eventType(
    "InputDelivered",
    "The agent was given what had been said to it.",
    {
      inputs: Schema9.Array(Schema9.Int).annotations({ description: "Positions of the inputs, oldest first" }),
      agentId
    },
    { positions: ["inputs"] }
  ),
  eventType(
    "GuideApplied",
    "An agent was told who it is, before its first turn and whenever that changed.",
    {
      digest: Sha256.annotations({ description: "Over the canonical JSON of the other fields (RFC 8785)" }),
      systemPrompt: Schema9.String.annotations({ description: "The whole of it, with what the kernel adds" }),
      temperature: optional(Schema9.Finite),
      memoryPolicy: JsonObject,
      conversation: optional(
        Schema9.Literal(true).annotations({ description: "It waits for people where it would be done" })
      ),
      initialMemories: Schema9.Array(Schema9.String)
    },
    { personal: { systemPrompt: SHREDDED, initialMemories: [] } }
  ),
  eventType(
    "DecisionMade",
    "An agent chose what to do next.",
    {
      agent: Schema9.NonEmptyString.annotations({ description: "`name@version`" }),
      choice: JsonObject.annotations({ description: "A command, a message, or done with an outcome" }),
      basedOn: optional(
        Schema9.Array(Schema9.Int).annotations({ description: "Positions of what the decision was made on" })
      ),
      rationale: optional(Schema9.String),
      agentId
    },
    { personal: { choice: {}, rationale: SHREDDED }, positions: ["basedOn"] }
  ),
  eventType(
    "MessageSent",
    "The agent said something.",
    {
      content: Schema9.String,
      format: Schema9.Literal("text", "markdown"),
      agentId,
      audience: optional(
        Schema9.Array(AgentId).annotations({ description: "The agents that it was said to; absent: whoever listens" })
      )
    },
    { personal: { content: SHREDDED } }
  ),
  eventType(
    "AgentStateChanged",
    "The agent's own state changed.",
    { state: Json, agentId },
    { personal: { state: null } }
  ),
  eventType(
    "ModelCalled",
    "An agent or a critic asked a language model.",
    {
      provider: Schema9.String,
      model: Schema9.String,
      requestDigest: Sha256.annotations({ description: "Digest of the whole request" }),
      request: Json.annotations({
        description: "The whole request; of a critic's question that follows others about a task, what is new in it"
      }),
      agentId
    },
    { personal: { request: null } }
  ),
  eventType(
    "ModelResponded",
    "A language model answered.",
    {
      response: Json,
      usage: ModelUsage,
      cost: optional(ModelCost),
      latencyMs
    },
    { personal: { response: null } }
  ),
  eventType(
    "ModelFailed",
    "A language model did not answer, or not to the end.",
    {
      kind: ModelFailureKind,
      reason: Schema9.String,
      response: optional(Json.annotations({ description: "What had come of the answer" })),
      usage: optional(ModelUsage),
      cost: optional(ModelCost),
      retryAfterMs: optional(Milliseconds2.annotations({ description: "How long the provider asked to wait, in ms" })),
      latencyMs
    },
    { personal: { reason: SHREDDED, response: null } }
  ),
  eventType(
    "MemoryCompacted",
    "A part of a conversation was replaced by a summary in what the model is told. The log keeps the whole.",
    {
      policy: Schema9.NonEmptyString,
      messages: Schema9.Positive.pipe(Schema9.int()).annotations({
        description: "Number of messages, from the start of the conversation, that the summary stands for"
      }),
      summary: Schema9.String
    },
    { personal: { summary: SHREDDED } }
  ),
  eventType("BudgetExceeded", "An agent used up a budget, and asked no model any more.", {
    budget: Schema9.Literal("steps", "tokens", "usd", "wallMs", "commands"),
    limit: Schema9.NonNegative,
    used: Schema9.NonNegative
  }),
  eventType("RandomDrawn", "A random value that no recorded seed determines.", {
    purpose: optional(Schema9.String),
    value: Json
  })
];

// src/events/vocabulary/Importing.ts
import { Schema as Schema10 } from "effect";
var source = Schema10.NonEmptyString.annotations({ description: "The format it was imported from" });
var Counts = Schema10.Record({ key: Schema10.String, value: Schema10.NonNegativeInt });
var importingEvents = [
  eventType(
    "FileImported",
    "A file of another program was imported: what it held is in the tasks that it names.",
    {
      source,
      name: Schema10.String.annotations({ description: "The file's name, without its directory" }),
      digest: Sha256.annotations({ description: "Of the file's content, as far as it was read" }),
      bytes: Schema10.NonNegativeInt,
      records: Schema10.NonNegativeInt,
      taskIds: Schema10.Array(Schema10.String),
      finished: Schema10.Boolean.annotations({ description: "Whether all of its runs had ended" }),
      kept: Counts.annotations({ description: "Records that are kept as they are, by kind" }),
      leftOut: Counts.annotations({ description: "Records that are not in the log, by kind and reason" })
    },
    { personal: { name: SHREDDED } }
  ),
  eventType(
    "SourceRecordKept",
    "A record of an imported run for which there is no other type of event, as it was.",
    {
      source,
      kind: Schema10.String.annotations({ description: "What the source calls it" }),
      record: Json,
      agentId: optional(AgentId)
    },
    { personal: { record: null } }
  )
];

// src/events/vocabulary/Kernel.ts
import { Schema as Schema12 } from "effect";

// src/events/vocabulary/Event.ts
import { Schema as Schema11 } from "effect";
import { uuidv4, uuidv7 } from "uuidv7";
var Position = Schema11.Int.pipe(
  Schema11.greaterThanOrEqualTo(1),
  Schema11.annotations({ identifier: "Position", description: "Place in the log, 1 or more, without gaps" })
);
var EpochMs = Schema11.Int.annotations({ identifier: "EpochMs", description: "Milliseconds since 1970-01-01Z" });
var EventId = Schema11.String.pipe(
  Schema11.pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  Schema11.annotations({ identifier: "EventId", description: "UUID in lower case, version 7 where Hindcast made it" })
);
var isEventId = Schema11.is(EventId);
var newId = () => isClockTime(Date.now()) ? uuidv7() : uuidv4();
var Event = Schema11.Struct({
  position: Position,
  id: EventId,
  timeline: Schema11.String.annotations({ description: "`main`, or a fork's name" }),
  stream: Schema11.String.annotations({ description: "The subject: `task/<id>`, `plugin/<name>`, `kernel` \u2026" }),
  version: Schema11.Int.annotations({ description: "Count within the stream and timeline, from 1, without gaps" }),
  type: Schema11.String.annotations({ description: "Name in the vocabulary" }),
  schemaVersion: Schema11.Int.annotations({ description: "Version of the payload's schema" }),
  taskId: Schema11.NullOr(Schema11.String).annotations({ description: "The task it belongs to" }),
  causationId: Schema11.NullOr(EventId).annotations({ description: "The event that made this one happen" }),
  actor: Schema11.String.annotations({
    description: "Who did it: `kernel`, `plugin:<name>@<version>`, `agent:<name>` \u2026"
  }),
  occurredAt: EpochMs.annotations({ description: "The source's clock" }),
  recordedAt: EpochMs.annotations({ description: "The log's clock" }),
  payload: JsonObject,
  personal: Schema11.optionalWith(
    Schema11.Struct({
      keyId: Schema11.String.annotations({ description: "The key that its personal fields are encrypted with" }),
      readable: Schema11.Boolean.annotations({
        description: "Whether that key is there; without it, the fields are not"
      })
    }),
    { exact: true }
  ).annotations({ description: "Only where the payload has encrypted fields" }),
  hash: Schema11.String.annotations({ description: "The chain's link: SHA-256, 64 hexadecimal digits" })
}).annotations({ identifier: "Event" });

// src/events/vocabulary/Kernel.ts
var kernelEvents = [
  eventType(
    "KernelStarted",
    "A kernel took the lease of this log and finished its recovery.",
    {
      version: Schema12.NonEmptyString.annotations({ description: "Hindcast's version" }),
      node: Schema12.String,
      deno: Schema12.String,
      seed: Schema12.Int.annotations({ description: "Seeds the kernel's randomness; tasks derive theirs from it" }),
      configDigest: Sha256,
      gate: optional(
        JsonObject.annotations({
          description: "What the gate decides by, as it was decoded: its rules in order, its default, and how long a question waits (`confirmWithinMs`). Absent in what was written before 0.3.0"
        })
      )
    },
    { version: 2 }
  ),
  eventType(
    "LeaseTakenOver",
    "A kernel took over the lease of one that had not given it back: nothing more of that one's comes into the log.",
    {
      owner: Schema12.NonEmptyString.annotations({ description: "Who took it over" }),
      from: Schema12.NonEmptyString.annotations({ description: "Who had it" })
    }
  ),
  eventType("RangeArchived", "The events of a range of positions were moved out of the log's file into a segment.", {
    first: Position,
    last: Position,
    segment: Schema12.String.annotations({ description: "The segment's file name" })
  }),
  eventType("KernelStopped", "A kernel ended in an orderly way.", { reason: Schema12.String })
];
var kernelUpcasters = [
  // Version 1 did not record the gate's rules, and they cannot be recovered.
  { type: "KernelStarted", from: 1, upcast: (payload) => payload }
];

// src/events/vocabulary/Notes.ts
import { Schema as Schema13 } from "effect";
var noteEvents = [
  eventType(
    "NoteAdded",
    "A person or program remarked on something.",
    { about: Schema13.String, text: Schema13.String },
    { personal: { text: SHREDDED } }
  ),
  eventType("TagAdded", "A tag was put on something.", { about: Schema13.String, tag: Schema13.NonEmptyString }),
  eventType("PayloadShredded", "The key of encrypted payload fields was destroyed.", {
    keyId: Schema13.NonEmptyString,
    reason: Schema13.String
  })
];

// src/events/vocabulary/Plugins.ts
import { Schema as Schema14 } from "effect";
var plugin = Schema14.NonEmptyString.annotations({ description: "The plugin's name" });
var instance = Schema14.NonEmptyString.annotations({ description: "`kernel`, or the id of the task it serves" });
var requestRule = Schema14.String.annotations({ description: "The gate's rule about requests that decided" });
var Names = optional(Schema14.Array(Schema14.String));
var GrantedPermissions = Schema14.Struct({
  read: Names,
  write: Names,
  net: Names,
  env: Names,
  run: Names,
  runAny: optional(Schema14.Boolean)
}).annotations({ identifier: "Given" });
var MissingGrant = Schema14.Struct({
  field: Schema14.String.annotations({ description: "The manifest's field, such as `permissions.read`" }),
  asked: Schema14.String,
  reason: Schema14.String,
  flag: optional(Schema14.String.annotations({ description: "The option that grants it; absent where nothing does" }))
}).annotations({ identifier: "MissingGrant" });
var Origin = Schema14.Union(
  Schema14.Struct({ kind: Schema14.Literal("directory"), path: Schema14.String }),
  Schema14.Struct({ kind: Schema14.Literal("archive"), path: Schema14.String, sha256: Sha256 }),
  Schema14.Struct({
    kind: Schema14.Literal("git"),
    url: Schema14.String,
    ref: Schema14.String,
    commit: Schema14.String,
    directory: optional(Schema14.String.annotations({ description: "The plugin's directory in the repository" }))
  }),
  Schema14.Struct({ kind: Schema14.Literal("in-process") })
).annotations({ identifier: "Origin" });
var release = {
  plugin,
  version: Schema14.String,
  manifest: JsonObject,
  digest: Sha256.annotations({ description: "Digest of the plugin's files; in-process, of what it declares" }),
  source: Schema14.String.annotations({ description: "Where it was imported from, or `in-process`" }),
  origin: optional(Origin),
  workspace: optional(Schema14.String.annotations({ description: 'The workspace that "." in its permissions is' })),
  given: optional(GrantedPermissions.annotations({ description: "What was granted by name with this import" })),
  warnings: optional(Schema14.Array(Schema14.String))
};
var pluginEvents = [
  eventType("PluginImported", "A plugin was imported, or updated to another digest.", {
    ...release,
    grants: JsonObject.annotations({ description: "What the person who imported it granted" })
  }),
  eventType("PluginUpdateHeld", "An update asks for more than was granted: it waits, the version before it stays.", {
    ...release,
    missing: Schema14.Array(MissingGrant)
  }),
  eventType("PluginGranted", "A person granted a plugin something by name.", {
    plugin,
    given: GrantedPermissions,
    grants: JsonObject.annotations({ description: "What the installed version may do from now on" }),
    missing: optional(
      Schema14.Array(MissingGrant).annotations({ description: "What the update that waits still lacks, where one does" })
    )
  }),
  eventType("PluginGrantRevoked", "A person took something back that a plugin was granted.", {
    plugin,
    revoked: GrantedPermissions,
    grants: JsonObject.annotations({ description: "What the installed version may do from now on" }),
    missing: optional(
      Schema14.Array(MissingGrant).annotations({ description: "What the update that waits now lacks, where one does" })
    )
  }),
  eventType("PluginRemoved", "A plugin was removed from the registry.", { plugin }),
  eventType("PluginActivated", "A plugin's active components take part again.", { plugin }),
  eventType("PluginDeactivated", "None of a plugin's components take part until it is activated.", { plugin }),
  eventType("ComponentActivated", "One component takes part again.", { component: ComponentName }),
  eventType("ComponentDeactivated", "One component no longer takes part.", { component: ComponentName }),
  eventType("PriorityChanged", "A component's priority was set; higher goes first.", {
    component: ComponentName,
    priority: Schema14.Finite
  }),
  eventType("MetadataSet", "A key of a plugin's or component's metadata was set.", {
    target: Schema14.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema14.NonEmptyString,
    value: Json
  }),
  eventType("MetadataUnset", "A key of a plugin's or component's metadata was removed.", {
    target: Schema14.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema14.NonEmptyString
  }),
  eventType(
    "SandboxConsentGiven",
    "A person consented to starting a version of a plugin where nothing but Deno's permissions confines it.",
    {
      plugin,
      version: Schema14.String,
      digest: Sha256.annotations({ description: "Digest of the plugin's files: the consent is for no others" }),
      by: Schema14.NonEmptyString.annotations({ description: "The user of the machine who said so" }),
      how: Schema14.Literal("option", "prompt").annotations({
        description: "By an option, such as `--sandbox flags`, or by an answer to a question"
      }),
      platform: Schema14.String.annotations({ description: "The operating system and processor, such as `linux-x64`" }),
      machine: Schema14.NullOr(Sha256).annotations({
        description: "Digest of the machine's id and the user's: it counts there alone; null where the machine has no id"
      })
    }
  ),
  eventType("PluginStartRefused", "A plugin's process was not started.", {
    plugin,
    instance,
    digest: Sha256.annotations({ description: "Digest of the plugin's files, as it was imported" }),
    code: Schema14.NonEmptyString.annotations({
      description: "What kind of reason: `SandboxConsentMissing`, `CopyChanged`"
    }),
    reason: Schema14.String
  }),
  eventType(
    "PrecomputeStarted",
    "The host is about to run a plugin's `precomputed` module, in the plugin's sandbox and without grants.",
    {
      plugin,
      module: Schema14.NonEmptyString,
      sha256: Sha256.annotations({ description: "Digest that its bytes must have" })
    }
  ),
  eventType("PluginStarted", "A plugin's process answered the handshake.", {
    plugin,
    instance,
    pid: Schema14.Int,
    birth: optional(
      Schema14.String.annotations({
        description: "The boot and clock tick it was started in: tells it from a later one"
      })
    ),
    sandbox: Schema14.String.annotations({ description: "The sandbox tier: `namespaces` or `flags`" }),
    layer: optional(
      Schema14.String.annotations({
        description: "What of the system confines it besides: `bubblewrap`, `unshare`, `user` or `none`"
      })
    ),
    permissions: Schema14.Array(Schema14.String).annotations({ description: "The permission flags it runs under" }),
    limits: optional(JsonObject.annotations({ description: "What the operating system and V8 hold it to, by name" }))
  }),
  eventType("PluginExited", "A plugin's process ended.", {
    plugin,
    instance,
    pid: Schema14.Int,
    code: Schema14.NullOr(Schema14.Int),
    signal: Schema14.NullOr(Schema14.String),
    inFlight: Schema14.Array(Schema14.String).annotations({ description: "Calls that had no answer yet" }),
    reason: optional(Schema14.String)
  }),
  eventType(
    "PluginMisbehaved",
    "A plugin's process did what no sound one does: its frames do not fit what was asked.",
    {
      plugin,
      instance,
      pid: Schema14.Int,
      code: Schema14.Literal(
        ...["LateAnswer", "SecondAnswer", "UnaskedAnswer", "UnaskedCall", "UndeclaredSensor"],
        ...["UnawaitedReadings", "UnawaitedPages", "RepeatedHandshake", "BrokenFrame", "FrameTooLong"]
      ),
      reason: Schema14.String
    }
  ),
  eventType("PluginQuarantined", "A plugin is not started again until a person lifts the quarantine.", {
    plugin,
    reason: Schema14.String
  }),
  eventType(
    "PluginLogged",
    "A plugin wrote a line: by its log, its console, or bare to an output.",
    {
      plugin,
      level: Schema14.Literal("debug", "info", "warn", "error"),
      message: Schema14.String,
      dropped: optional(Schema14.NonNegativeInt.annotations({ description: "How many lines were left out before" }))
    },
    { personal: { message: SHREDDED } }
  ),
  eventType(
    "BrokerRequested",
    "A plugin asked the host to do something outside its sandbox.",
    {
      plugin,
      requestId: Schema14.NonEmptyString,
      method: Schema14.Literal("run", "readFile", "writeFile", "fetch"),
      request: JsonObject.annotations({ description: "What it asked for; contents as size and digest only" })
    },
    { personal: { request: {} } }
  ),
  eventType("BrokerAllowed", "The gate let a request to the host pass.", {
    plugin,
    requestId: Schema14.NonEmptyString,
    rule: requestRule
  }),
  eventType(
    "BrokerDenied",
    "The gate refused a request to the host; it was not carried out.",
    { plugin, requestId: Schema14.NonEmptyString, rule: requestRule, reason: Schema14.String },
    { personal: { reason: SHREDDED } }
  ),
  eventType(
    "BrokerAnswered",
    "The host did what a plugin asked for, or refused.",
    {
      plugin,
      requestId: Schema14.NonEmptyString,
      answer: optional(JsonObject.annotations({ description: "Contents as size and digest only" })),
      error: optional(Failure),
      latencyMs: optional(Milliseconds2)
    },
    { personal: { answer: {}, error: { code: "shredded", message: SHREDDED } } }
  )
];

// src/events/vocabulary/Scoring.ts
import { Schema as Schema15 } from "effect";
var scoreSetId = Schema15.NonEmptyString;
var measure = Schema15.NonEmptyString.annotations({ description: "`plugin/measure`, or the rubric's own name for it" });
var verdict = {
  scoreSetId,
  measure,
  name: Schema15.NonEmptyString.annotations({ description: "The reward's or punishment's name within the measure" }),
  weight: Schema15.Finite,
  amount: Schema15.NonNegative.annotations({
    description: "weight \xD7 occurrences; of a world's own reward, whose weight is 1, the reward"
  }),
  occurrences: optional(
    Schema15.Positive.pipe(Schema15.int()).annotations({
      description: "How often it happened, where that is not once for each position in `because`"
    })
  ),
  because: Schema15.Array(Schema15.Int).annotations({ description: "Positions of the events that made it true" }),
  rationale: optional(Schema15.String),
  agentId: optional(AgentId)
};
var scoringEvents = [
  eventType(
    "ScoringStarted",
    "A scoring of tasks by one rubric and one critic began.",
    {
      scoreSetId,
      taskIds: Schema15.Array(Schema15.String),
      rubric: JsonObject,
      rubricDigest: Sha256,
      critic: Schema15.NonEmptyString,
      criticDigest: Sha256,
      label: Schema15.String,
      params: optional(
        JsonObject.annotations({ description: "What the critics were chosen by, where not by rules alone" })
      ),
      range: Schema15.Struct({ from: Schema15.Int, to: Schema15.Int }).annotations({ description: "Positions read" }),
      replaces: optional(Schema15.String)
    },
    { positions: ["range"] }
  ),
  eventType("RewardGiven", "A reward's condition held.", verdict, {
    personal: { rationale: SHREDDED },
    positions: ["because"]
  }),
  eventType("PunishmentGiven", "A punishment's condition held. `amount` is positive and is subtracted.", verdict, {
    personal: { rationale: SHREDDED },
    positions: ["because"]
  }),
  eventType("MeasureUnscored", "Nothing could decide a reward or punishment.", {
    scoreSetId,
    measure,
    name: Schema15.NonEmptyString,
    reason: Schema15.String
  }),
  eventType("ScoringFinished", "A scoring is complete. `totals` holds earned, lost and net of every task.", {
    scoreSetId,
    totals: JsonObject
  }),
  eventType("ScoreSetPromoted", "A pointer such as `official` now names this score set.", {
    pointer: Schema15.NonEmptyString,
    scoreSetId
  })
];

// src/events/vocabulary/Sensing.ts
import { Schema as Schema16 } from "effect";
var sensor = ComponentName;
var perception = optional(
  Schema16.Int.annotations({
    description: "Which perceiving of the task it is of, from 1; absent where it was read at its interval, or pushed"
  })
);
var agentId2 = optional(AgentId);
var sensingEvents = [
  eventType(
    "SensorRead",
    "A sensor returned a reading.",
    {
      sensor,
      reading: Json,
      priority: Schema16.Finite.annotations({ description: "The sensor's priority at that moment" }),
      latencyMs: Milliseconds2,
      perception,
      agentId: agentId2
    },
    { personal: { reading: null } }
  ),
  eventType(
    "SensorFailed",
    "A sensor was asked and gave no reading.",
    { sensor, error: Failure, perception, agentId: agentId2 },
    { personal: { error: { code: "shredded", message: SHREDDED } } }
  ),
  eventType("SensorSkipped", "A sensor was due and was not asked.", {
    sensor,
    reason: Schema16.String,
    priority: optional(Schema16.Finite.annotations({ description: "The sensor's priority at that moment" })),
    deadlineMs: optional(
      Schema16.NonNegative.annotations({ description: "How long perceiving had, in ms, where that was the reason" })
    ),
    perception,
    agentId: agentId2
  })
];
var PatchOperation = Schema16.Union(
  Schema16.Struct({ op: Schema16.Literal("add", "replace"), path: Schema16.String, value: Json }),
  Schema16.Struct({ op: Schema16.Literal("remove"), path: Schema16.String })
).annotations({ identifier: "PatchOperation", description: "RFC 6902 add, replace or remove" });
var plugin2 = Schema16.NonEmptyString.annotations({ description: "The plugin whose environment it is" });
var environmentEvents = [
  eventType("EnvironmentDescribed", "A plugin's environment as its manifest describes it, for a task that uses it.", {
    plugin: plugin2,
    name: Schema16.String,
    description: Schema16.String,
    rules: Schema16.Array(Schema16.String),
    conventions: Schema16.Array(Schema16.String)
  }),
  eventType(
    "EnvironmentReset",
    "An environment was put in its first state.",
    {
      plugin: plugin2,
      seed: Schema16.Int,
      options: JsonObject.annotations({ description: "What it was configured with, such as a scenario" }),
      agents: optional(
        Schema16.Array(AgentId).annotations({ description: "Who takes part from the start, where it is for several" })
      ),
      state: Json.annotations({ description: "The environment's document after the reset" })
    },
    { personal: { options: {}, state: null } }
  ),
  eventType(
    "EnvironmentRestored",
    "A plugin's world was brought to where it was at a moment of a fork or a resumed task, or was not.",
    {
      plugin: plugin2,
      by: Schema16.Literal("snapshot", "re-execution", "stateless", "reset", "nothing").annotations({
        description: "`stateless`: it keeps nothing that could be lost; `nothing`: it is as it is now, and was not rewound"
      }),
      at: Schema16.Int.annotations({ description: "The position at which it stands again" }),
      checked: Schema16.Struct({
        document: Schema16.Boolean.annotations({
          description: "Whether its document was compared with the recorded one"
        }),
        readings: Schema16.NonNegativeInt,
        outcomes: Schema16.NonNegativeInt
      }).annotations({ description: "What was found to be the same as recorded" }),
      reason: optional(Schema16.String.annotations({ description: "Why it was not rewound" }))
    }
  ),
  eventType(
    "EnvironmentChanged",
    "An environment's document changed.",
    {
      plugin: plugin2,
      patch: Schema16.Array(PatchOperation),
      commands: optional(
        Schema16.Array(Schema16.String).annotations({
          description: "Ids of the commands of the round that changed it, where it was more than one"
        })
      )
    },
    { personal: { patch: [] } }
  )
];

// src/events/vocabulary/Tasks.ts
import { Schema as Schema17 } from "effect";
var TaskOutcome = Schema17.Literal("achieved", "failed", "abandoned", "truncated").annotations({
  identifier: "TaskOutcome"
});
var RunLimits = Schema17.Struct({
  maxSteps: optional(Schema17.Positive.pipe(Schema17.int()).annotations({ description: "From the opening on" })),
  deadlineMs: optional(Milliseconds2.annotations({ description: "How long each perception may take, in ms" }))
}).annotations({ identifier: "RunLimits" });
var by = Schema17.NonEmptyString.annotations({ description: "Who asked for it" });
var taskEvents = [
  eventType(
    "TaskOpened",
    "A task began.",
    {
      goal: Schema17.String,
      environment: optional(
        JsonObject.annotations({ description: "Options of each plugin's environment, by the plugin's name" })
      ),
      measures: Schema17.Array(Schema17.String).annotations({
        description: "`plugin/measure` of every measure it is scored by"
      }),
      agent: Schema17.String,
      plugins: optional(Schema17.Array(Schema17.String).annotations({ description: "The plugins that take part" })),
      agents: optional(
        Schema17.Array(AgentId).annotations({ description: "Who takes part from the start, where it is several" })
      ),
      seed: optional(Schema17.Int),
      limits: optional(RunLimits.annotations({ description: "How its agent is run" }))
    },
    { personal: { goal: SHREDDED, environment: {} } }
  ),
  eventType(
    "TaskClosed",
    "A task ended.",
    { outcome: TaskOutcome, reason: optional(Schema17.String) },
    { personal: { reason: SHREDDED } }
  ),
  eventType(
    "TaskPaused",
    "Nothing new is begun in the task until it is continued.",
    { by, reason: optional(Schema17.String) },
    { personal: { reason: SHREDDED } }
  ),
  eventType("TaskContinued", "A paused task goes on.", { by }),
  eventType(
    "TaskCancelled",
    "The task is to be closed, by the kernel that works on it or by the next one.",
    { by, reason: optional(Schema17.String) },
    { personal: { reason: SHREDDED } }
  ),
  eventType("TaskResumed", "A kernel went on with a task that an earlier one left open.", {
    agent: Schema17.NonEmptyString.annotations({ description: "`name@version` of the agent that goes on" }),
    at: Schema17.Int.annotations({ description: "The position up to which the agent is led over what is recorded" }),
    inDoubt: Schema17.Array(Schema17.String).annotations({
      description: "Ids of the commands that had been dispatched and had no outcome"
    })
  }),
  eventType("TaskBundled", "The events that follow are one task's of another log, which was copied from there.", {
    taskId: Schema17.NonEmptyString,
    source: Schema17.Struct({
      log: Schema17.String.annotations({ description: "The other log's file name" }),
      head: Schema17.Struct({ position: Schema17.Int, hash: Sha256 }).annotations({
        description: "Its end, when it was copied"
      })
    }),
    positions: Schema17.Array(Schema17.Int).annotations({
      description: "Where each of the events stood there, in the order in which they stand here after the last TaskBundled"
    }),
    hashes: Schema17.Array(Sha256).annotations({ description: "With which hash" })
  })
];

// src/events/vocabulary/Timelines.ts
import { Schema as Schema18 } from "effect";
var timelineEvents = [
  eventType("TimelineForked", "A timeline goes on from a moment of another.", {
    timeline: Schema18.NonEmptyString,
    parent: Schema18.NonEmptyString,
    at: Schema18.Int.annotations({ description: "The last position it shares with its parent" }),
    overrides: JsonObject.annotations({
      description: "What is otherwise than in the parent: `agent`, `seed`, `goal`, `readings`, `world`, and the `io` it goes on with"
    })
  })
];

// src/events/vocabulary/Worlds.ts
import { Schema as Schema19 } from "effect";
var reason = optional(Schema19.String);
var agentEvents = [
  eventType("AgentJoined", "An agent takes part in a task with several.", {
    agentId: AgentId,
    agent: Schema19.NonEmptyString.annotations({ description: "`name@version` of the agent behind the name" }),
    midway: optional(Schema19.Literal(true).annotations({ description: "It joined after the world's reset" }))
  }),
  eventType(
    "AgentLeft",
    "An agent takes no further part in a task with several.",
    {
      agentId: AgentId,
      outcome: TaskOutcome,
      reason,
      midway: optional(
        Schema19.Literal(true).annotations({ description: "The world was told: its episode was not over" })
      )
    },
    { personal: { reason: SHREDDED } }
  ),
  eventType(
    "AgentSuspended",
    "An agent is not asked to act until it is continued.",
    { agentId: AgentId, reason },
    { personal: { reason: SHREDDED } }
  ),
  eventType("AgentContinued", "An agent that was suspended is asked to act again.", { agentId: AgentId }),
  eventType("AgentLate", "An agent had not decided when its round was closed.", {
    agentId: AgentId,
    waitedMs: Milliseconds2
  }),
  eventType("WorldTicked", "A world moved by itself.", {
    plugin: Schema19.NonEmptyString,
    milliseconds: Milliseconds2.annotations({ description: "How much of the world's time passed" }),
    steps: optional(
      Schema19.Record({ key: AgentId, value: JsonObject }).annotations({
        description: "What agents got meanwhile, as the result of a step has it"
      })
    )
  })
];
var because = Schema19.Array(Schema19.Int).annotations({ description: "Positions of the events that made it true" });
var scenarioEvents = [
  eventType("ScenarioStarted", "A scenario began to be played in a task.", {
    name: Schema19.NonEmptyString,
    version: Schema19.NonEmptyString,
    digest: Sha256.annotations({ description: "Over the canonical JSON of the scenario (RFC 8785)" }),
    plugin: Schema19.NonEmptyString.annotations({ description: "The plugin whose environment is its world" }),
    scenario: JsonObject.annotations({ description: "The whole document" })
  }),
  eventType(
    "TriggerFired",
    "The trigger of a scenario's event was met, and one of its responses is given.",
    {
      trigger: Schema19.NonEmptyString.annotations({ description: "The event's name, or `events/<index>`" }),
      response: JsonObject,
      because
    },
    { positions: ["because"] }
  ),
  eventType(
    "MilestoneReached",
    "A scenario's milestone was reached.",
    {
      name: Schema19.NonEmptyString,
      agentId: optional(
        Schema19.NonEmptyString.annotations({ description: "The agent of the scenario that reached it" })
      ),
      because
    },
    { positions: ["because"] }
  ),
  eventType(
    "ScenarioEnded",
    "A condition of a scenario was met: it is won or lost.",
    {
      result: Schema19.Literal("won", "lost"),
      condition: JsonObject.annotations({ description: "The condition, as the scenario has it" }),
      agentId: optional(AgentId.annotations({ description: "The agent that met it, in a task with several" })),
      because
    },
    { positions: ["because"] }
  )
];

// src/events/vocabulary/Vocabulary.ts
var coreEvents = [
  ...kernelEvents,
  ...pluginEvents,
  ...sensingEvents,
  ...environmentEvents,
  ...decidingEvents,
  ...actingEvents,
  ...confirmingEvents,
  ...taskEvents,
  ...agentEvents,
  ...scenarioEvents,
  ...scoringEvents,
  ...timelineEvents,
  ...noteEvents,
  ...importingEvents
];
var Vocabulary = kind("a vocabulary, as `Vocabulary.extend` makes it", (value2) => {
  if (typeof value2 !== "object" || value2 === null || !("types" in value2) || !("upcasters" in value2)) return false;
  return value2.types instanceof Map && Array.isArray(value2.upcasters);
});
var core = {
  types: new Map(coreEvents.map((type) => [type.name, type])),
  upcasters: [...kernelUpcasters, ...confirmingUpcasters]
};

// src/importing/TaskAppender.ts
var PART = 1e4;
var MAX_EVENTS = 5 * PART;
var MAX_BYTES = 32 * 1024 * 1024;
var TaskAppender = class {
  /** How many events were new. */
  added = 0;
  /** In how many transactions. */
  commits = 0;
  /** The tasks that the run is in: more than one where the log had closed the first before the run went on. */
  taskIds;
  #writing;
  #run;
  #known = new IdSet();
  #isLoaded = false;
  #isClosed = false;
  #version = 0;
  #pending = [];
  #bytes = 0;
  constructor(writing, run) {
    this.#writing = writing;
    this.#run = run;
    this.taskIds = [run.taskId];
  }
  /** The id of an event of the run. */
  idOf(key) {
    return idOf(this.#writing.source, this.#run.start.id, key);
  }
  /** Takes an event. Returns an effect if it has to be written now. */
  take(event) {
    this.#pending.push(event);
    this.#bytes += event.bytes;
    if (this.#pending.length < MAX_EVENTS && this.#bytes < MAX_BYTES) return void 0;
    return this.flush;
  }
  /** Writes what was taken, in one transaction. */
  flush = Effect4.suspend(() => this.#write());
  #write() {
    return Effect4.gen(this, function* () {
      if (!this.#isLoaded) yield* this.#load();
      const events = this.#pending.filter(({ key }) => this.#known.add(this.idOf(key)));
      this.#pending = [];
      this.#bytes = 0;
      if (events.length === 0) return;
      if (this.#isClosed && events.every(({ body }) => body.type !== "TaskOpened")) return yield* this.#continue(events);
      yield* this.#append(events);
    });
  }
  /** The task was closed, and its run has gone on since: the new events are a task of their own. */
  #continue(events) {
    const part = this.taskIds.length + 1;
    const opening = this.#run.continuedAs(part);
    this.taskIds.push(`${this.#run.taskId}+${part}`);
    this.#version = 0;
    this.#isClosed = false;
    return this.#append([...opening, ...events]);
  }
  /** Reads which events of the run are in the log. */
  #load() {
    return Effect4.gen(this, function* () {
      this.#isLoaded = true;
      const { log: log4 } = this.#writing;
      for (let part = 1; ; part++) {
        const taskId = part === 1 ? this.#run.taskId : `${this.#run.taskId}+${part}`;
        const version = yield* log4.versionOf(`task/${taskId}`);
        if (version === 0) break;
        if (part > 1) this.taskIds.push(taskId);
        this.#isClosed = false;
        yield* Stream.runForEach(
          log4.read({ stream: `task/${taskId}` }),
          ({ id, type }) => Effect4.sync(() => {
            this.#known.add(id);
            if (type === "TaskClosed") this.#isClosed = true;
          })
        );
        this.#version = version;
      }
    });
  }
  #append(events) {
    return Effect4.gen(this, function* () {
      const { log: log4, source: source2, subject, dryRun } = this.#writing;
      this.added += events.length;
      this.commits += 1;
      if (events.some(({ body }) => body.type === "TaskClosed")) this.#isClosed = true;
      if (dryRun) return;
      const taskId = this.taskIds.at(-1) ?? this.#run.taskId;
      const part = (from) => ({
        ...{ stream: `task/${taskId}`, taskId, actor: `import:${source2}` },
        events: events.slice(from, from + PART).map((event) => this.#newEvent(event))
      });
      const expected = Exact(this.#version);
      this.#version += events.length;
      const others = Array.from({ length: Math.ceil(events.length / PART) - 1 }, (_, index) => (index + 1) * PART);
      if (subject === void 0) {
        yield* log4.append({ ...part(0), expected, with: others.map(part) });
        return;
      }
      for (const from of [0, ...others]) yield* log4.append(withSubject(part(from), subject));
    });
  }
  #newEvent({ key, cause: cause3, at: at2, body }) {
    return {
      id: this.idOf(key),
      causationId: cause3 === null ? null : this.idOf(cause3),
      ...at2 === null ? {} : { occurredAt: at2 },
      type: body.type,
      payload: this.#writing.redact ? redacted(body.type, body.payload) : body.payload
    };
  }
  /** The positions of the run's first and last event. */
  range = Effect4.suspend(
    () => Effect4.gen(this, function* () {
      const { log: log4 } = this.#writing;
      const [first2] = yield* log4.readPage({ stream: `task/${this.#run.taskId}` }, 1);
      const stream2 = `task/${this.taskIds.at(-1) ?? this.#run.taskId}`;
      const version = yield* log4.versionOf(stream2);
      const [last3] = yield* log4.readPage({ stream: stream2, afterVersion: version - 1 }, 1);
      const from = Option3.fromNullable(first2).pipe(
        Option3.match({ onNone: () => 0, onSome: ({ position }) => position })
      );
      return { from, to: last3?.position ?? from };
    })
  );
};
var withSubject = (request2, subject) => request2.events.some(({ type }) => Object.keys(core.types.get(type)?.personal ?? {}).length > 0) ? { ...request2, subject } : request2;
var redacted = (type, payload) => {
  const personal = core.types.get(type)?.personal ?? {};
  const present = Object.entries(personal).filter(([name]) => Object.hasOwn(payload, name));
  return { ...payload, ...Object.fromEntries(present) };
};

// src/importing/ScoreAppender.ts
var PART2 = 1e4;
var append4 = (writing, appenders, scores) => Effect5.gen(function* () {
  let added2 = 0;
  for (const scorer of new Set(scores.map((score) => score.scorer)))
    added2 += yield* appendSet(
      writing,
      appenders,
      scorer,
      scores.filter((score) => score.scorer === scorer)
    );
  return added2;
});
var appendSet = ({ log: log4, source: source2, subject, redact: redact2, dryRun }, appenders, scorer, scores) => Effect5.gen(function* () {
  const measure2 = nameFrom(scorer);
  const given = scores.map(({ run, name, value: value2, rationale }) => [run.taskId, name, value2, rationale]);
  const scoreSetId2 = idOf(source2, "scores", scorer, JSON.stringify(given));
  const stream2 = `scores/${scoreSetId2}`;
  const critic = `${source2}/${measure2}`;
  const startedBy = idOf(scoreSetId2, "started");
  const names3 = [...new Set(scores.map(({ name }) => nameFrom(name)))];
  const rubric = {
    name: measure2,
    measures: [{ name: measure2, rewards: names3.map((name) => ({ name, weight: 1 })), punishments: [] }]
  };
  const taskIds = [...new Set(scores.map(({ run }) => run.taskId))];
  const verdicts = scores.flatMap(
    ({ run, name, value: value2, rationale }, index) => value2 === 0 ? [] : [
      {
        taskId: run.taskId,
        event: verdictOf(
          { scoreSetId: scoreSetId2, measure: measure2, name: nameFrom(name), value: value2, rationale },
          startedBy,
          idOf(scoreSetId2, String(index))
        )
      }
    ]
  );
  const events = 2 + verdicts.length;
  if (dryRun) return events;
  const finishedBy = idOf(scoreSetId2, "finished");
  if (Option4.isSome(yield* log4.find(finishedBy))) return 0;
  const isBegun = Option4.isSome(yield* log4.find(startedBy));
  let [from, to] = [Number.MAX_SAFE_INTEGER, 0];
  for (const run of new Set(scores.map((score) => score.run))) {
    const range2 = yield* appenders.get(run)?.range ?? Effect5.succeed({ from: 0, to: 0 });
    [from, to] = [Math.min(from, range2.from), Math.max(to, range2.to)];
  }
  const taskId = taskIds.length === 1 ? taskIds[0] ?? null : null;
  const actor = `critic:${critic}`;
  const started = {
    type: "ScoringStarted",
    id: startedBy,
    payload: {
      ...{ scoreSetId: scoreSetId2, taskIds, rubric, rubricDigest: digest(rubric), critic, criticDigest: digest({ critic }) },
      ...{ label: measure2, range: { from, to } }
    }
  };
  const finished = {
    type: "ScoringFinished",
    id: finishedBy,
    causationId: startedBy,
    payload: { scoreSetId: scoreSetId2, totals: totalsOf(scores) }
  };
  const shown = (event) => redact2 ? { ...event, payload: redacted(event.type, event.payload) } : event;
  const request2 = (events2, of7) => {
    const plain = { stream: stream2, taskId: of7, actor, events: events2 };
    return subject === void 0 ? plain : withSubject(plain, subject);
  };
  if (!isBegun) yield* log4.append(request2([started], taskId));
  for (const [of7, own] of groupBy(verdicts, (verdict2) => [verdict2.taskId])) {
    for (let at2 = 0; at2 < own.length; at2 += PART2)
      yield* log4.append(
        request2(
          own.slice(at2, at2 + PART2).map(({ event }) => shown(event)),
          of7
        )
      );
  }
  yield* log4.append(request2([finished], taskId));
  return events;
});
var verdictOf = ({
  scoreSetId: scoreSetId2,
  measure: measure2,
  name,
  value: value2,
  rationale
}, causationId, id) => {
  if (value2 === null)
    return {
      type: "MeasureUnscored",
      id,
      causationId,
      payload: {
        scoreSetId: scoreSetId2,
        measure: measure2,
        name,
        reason: rationale === null ? "the source's value is no number" : plainText(rationale)
      }
    };
  const payload = {
    ...{ scoreSetId: scoreSetId2, measure: measure2, name, weight: 1, amount: Math.abs(value2), because: [] },
    ...rationale === null ? {} : { rationale: plainText(rationale) }
  };
  return { type: value2 < 0 ? "PunishmentGiven" : "RewardGiven", id, causationId, payload };
};
var totalsOf = (scores) => Object.fromEntries(
  [...groupBy(scores, ({ run }) => [run.taskId])].map(([taskId, own]) => {
    const values3 = own.map(({ value: value2 }) => value2);
    const known = values3.filter((value2) => value2 !== null);
    const earned = of6(known.filter((value2) => value2 > 0));
    const lost = of6(known.filter((value2) => value2 < 0).map((value2) => -value2));
    return [taskId, { earned, lost, net: earned - lost, unscored: values3.length - known.length }];
  })
);

// src/importing/OpenTurn.ts
var MAX_WAITING = 500;
var OpenTurn = class {
  id;
  model;
  askedAt;
  agentId;
  at;
  usage = { inputTokens: 0, outputTokens: 0 };
  /** Whether the source says that the answer has ended. */
  ended = false;
  parts = [];
  /** Done after the answer is written, in this order: the calls and what came of them. */
  waiting = [];
  #known = /* @__PURE__ */ new Set();
  constructor(id, model, askedAt, at2, agentId3) {
    this.id = id;
    this.model = model;
    this.askedAt = askedAt;
    this.at = at2;
    this.agentId = agentId3;
  }
  /** Adds a part, unless it is there. Returns whether it is new. */
  add(part) {
    const known = part.type === "call" ? `call ${String(part.callId)}` : JSON.stringify(part);
    if (this.#known.has(known)) return false;
    this.#known.add(known);
    this.parts.push(part);
    return true;
  }
  /** Does something once the answer is written. */
  after(what) {
    this.waiting.push(what);
  }
  get isFull() {
    return this.waiting.length >= MAX_WAITING;
  }
  /** The text of the answer. */
  get text() {
    return this.parts.flatMap((part) => part.type === "text" ? [String(part.text)] : []).join("\n\n");
  }
  get calls() {
    return this.parts.some(({ type }) => type === "call");
  }
};

// src/importing/claude/Blocks.ts
var blocksOf = (message) => {
  const content = field(message, "content");
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(message, "content");
};
var answerPart = (block) => {
  switch (field(block, "type")) {
    case "text": {
      const text = textOf(block, "text");
      return text === void 0 ? void 0 : { type: "text", text };
    }
    case "thinking":
      return { type: "reasoning", text: textOf(block, "thinking") ?? "" };
    case "redacted_thinking":
      return { type: "reasoning", text: "" };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const callId = textOf(block, "id");
      const tool = textOf(block, "name");
      if (callId === void 0 || tool === void 0) return void 0;
      return {
        type: "call",
        callId: nameFrom(callId),
        tool: nameFrom(tool),
        args: logJson(field(block, "input") ?? {}).json
      };
    }
    default:
      return void 0;
  }
};
var contentParts = (blocks) => blocks.flatMap((block) => {
  const text = field(block, "type") === "text" ? textOf(block, "text") : void 0;
  if (text !== void 0) return [{ type: "text", text }];
  const data = at(block, "source", "data");
  const mediaType = at(block, "source", "media_type");
  return typeof data === "string" && typeof mediaType === "string" && mediaType !== "" ? [{ type: "file", mediaType, data }] : [];
});
var resultContent = (block) => {
  const content = field(block, "content");
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((part) => field(part, "type") === "text" ? textOf(part, "text") : void 0);
  return texts.length > 0 && texts.every((text) => text !== void 0) ? texts.join("\n") : content;
};
var usageOf = (message) => {
  const usage = field(message, "usage");
  if (!isObject3(usage)) return void 0;
  const cachedTokens = countOf(usage, "cache_read_input_tokens");
  return {
    inputTokens: countOf(usage, "input_tokens") + countOf(usage, "cache_creation_input_tokens") + cachedTokens,
    outputTokens: countOf(usage, "output_tokens"),
    ...cachedTokens === 0 ? {} : { cachedTokens }
  };
};

// src/importing/claude/FileTools.ts
var apply = (run, callId, { tool, args: args2 }, result, time) => {
  if (tool === "Read") {
    learn(run, result);
    return;
  }
  const path14 = textOf(args2, "file_path") ?? textOf(args2, "notebook_path") ?? textOf(result, "filePath");
  if (path14 === void 0) return;
  const original = field(result, "originalFile");
  const before2 = typeof original === "string" ? original : run.files.get(path14);
  if (EDITS.has(tool)) run.fileChanged(callId, path14, before2, contentAfter(tool, args2, before2), time);
};
var EDITS = /* @__PURE__ */ new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
var contentAfter = (tool, args2, before2) => {
  const content = field(args2, "content");
  if (tool === "Write") return typeof content === "string" ? content : null;
  if (tool === "NotebookEdit") return null;
  return afterEdits(before2, tool === "Edit" ? [args2] : listOf(args2, "edits"));
};
var learn = (run, result) => {
  const file = field(result, "file");
  const path14 = textOf(file, "filePath");
  const content = field(file, "content");
  const isWhole = numberOf(file, "startLine") === 1 && numberOf(file, "numLines") !== void 0 && numberOf(file, "numLines") === numberOf(file, "totalLines");
  if (path14 !== void 0 && typeof content === "string" && isWhole) run.fileKnown(path14, content);
};
var afterEdits = (before2, edits) => {
  const all4 = [];
  for (const edit of edits) {
    const from = field(edit, "old_string");
    const to = field(edit, "new_string");
    if (typeof from !== "string" || typeof to !== "string") return null;
    all4.push({ from, to, all: at(edit, "replace_all") === true });
  }
  const base = before2 ?? (all4[0]?.from === "" ? "" : void 0);
  return base === void 0 || base === null ? null : edited(base, all4);
};

// src/importing/claude/Session.ts
var SETTLED_MS = 60 * 60 * 1e3;
var MAX_BEFORE_GOAL = 200;
var REPEATED = /* @__PURE__ */ new Map([
  ["progress", "what a tool or hook said while it ran; its result is there"],
  ["file-history-snapshot", "the program's own backup; edits are in the calls"],
  ["queue-operation", "a prompt that waited; it is there when it is given"],
  ["last-prompt", "it repeats a prompt"]
]);
var REFUSED = /^(?:The user doesn't want to (?:proceed|take this action)|The agent was denied permission|Permission to use .* has been denied)/;
var INTERRUPTED = /^\[Request interrupted by user/;
var OF_THE_PROGRAM = /^(?:Caveat: |<(?:command-name|command-message|local-command-|system-reminder|bash-))/;
var MAX_WRITTEN = 64;
var Session = class {
  #runs;
  #now;
  #id;
  #subagent;
  #seen = new IdSet();
  /** The messages of the main conversation. */
  #messages = new IdSet();
  #chains = /* @__PURE__ */ new Map();
  /** The agent of each message of a sidechain, where its records do not name it. */
  #sidechains = /* @__PURE__ */ new Map();
  #early = [];
  #run;
  #lastUuid;
  #lastAt = null;
  #number = 0;
  /** Whether the main agent has ended its turn, and why not if it has not. */
  #open = "it ends before the agent answered";
  #failure;
  constructor(runs, now, id, subagent) {
    this.#runs = runs;
    this.#now = now;
    this.#id = id;
    this.#subagent = subagent;
  }
  record(value2) {
    if (this.#run === void 0) this.#beforeGoal(value2);
    else this.#map(this.#run, value2);
  }
  end() {
    const settled = this.#isSettled();
    if (this.#run === void 0) {
      if (!settled || this.#early.length === 0) return;
      this.#begin("");
    }
    const run = this.#run;
    if (run === void 0) return;
    if (!settled) {
      const waiting = [...this.#chains.values()].filter(({ turn }) => turn !== void 0).length;
      if (waiting > 0)
        this.#runs.remark(
          "a last answer that may not be whole yet: it is imported when the session goes on or is silent for an hour"
        );
      return;
    }
    for (const chain2 of this.#chains.values()) this.#finishTurn(run, chain2);
    const key = String(this.#number);
    if (this.#failure !== void 0) run.close(key, "failed", this.#failure, this.#lastAt);
    else if (this.#open !== void 0) run.close(key, "abandoned", this.#open, this.#lastAt);
    else run.close(key, "achieved", "the agent ended its turn; the source has no verdict", this.#lastAt);
  }
  /** Whether the session is over, by the time of its last record. */
  #isSettled() {
    const times2 = this.#early.map((value2) => timeOf(field(value2, "timestamp"))).filter((time) => time !== null);
    const last3 = this.#lastAt ?? times2.at(-1) ?? null;
    return last3 === null || this.#now - last3 > SETTLED_MS;
  }
  /** Records wait for the first prompt: it is the goal. */
  #beforeGoal(value2) {
    this.#early.push(value2);
    const goal = goalIn(value2);
    if (goal !== void 0 || field(value2, "type") === "assistant" || this.#early.length >= MAX_BEFORE_GOAL)
      this.#begin(goal ?? "");
  }
  #begin(goal) {
    const early = this.#early;
    this.#early = [];
    const first2 = early.find((value2) => textOf(value2, "sessionId") !== void 0);
    const about = Object.fromEntries(
      ["cwd", "gitBranch", "version"].flatMap((name) => {
        const text = textOf(first2, name);
        return text === void 0 ? [] : [[name, text]];
      })
    );
    const id = this.#subagent === void 0 ? this.#id : `${this.#id}.agent-${this.#subagent}`;
    const parent = this.#subagent === void 0 ? {} : { parent: `claude-code-${this.#id}`, subagent: this.#subagent };
    const run = this.#runs.open({
      id,
      goal: goal === "" ? `session ${this.#id}` : goal,
      agent: `claude-code@${textOf(first2, "version") ?? "unknown"}`,
      at: timeOf(
        field(
          early.find((value2) => timeOf(field(value2, "timestamp")) !== null),
          "timestamp"
        )
      ),
      about: { session: this.#id, ...about, ...parent }
    });
    this.#run = run;
    for (const value2 of early) this.#map(run, value2);
  }
  #map(run, value2) {
    this.#number += 1;
    const uuid = textOf(value2, "uuid");
    const type = textOf(value2, "type") ?? "unknown";
    if (uuid !== void 0 && !this.#seen.add(idOf(uuid))) {
      this.#runs.leaveOut(type, "the same record again");
      return;
    }
    const at2 = timeOf(field(value2, "timestamp"));
    if (at2 !== null) this.#lastAt = at2;
    const key = uuid ?? `line-${this.#number}`;
    const agentId3 = this.#agentOf(value2, uuid);
    const chain2 = this.#chain(agentId3);
    switch (type) {
      case "assistant":
        this.#assistant(run, chain2, value2, key, at2, agentId3);
        break;
      case "user":
        this.#user(run, chain2, value2, key, at2, agentId3);
        break;
      default: {
        const why = REPEATED.get(type);
        if (why !== void 0) this.#runs.leaveOut(type, why);
        else {
          const subtype = textOf(value2, "subtype");
          this.#later(
            run,
            chain2,
            () => run.keep(key, subtype === void 0 ? type : `${type}/${subtype}`, value2, { at: at2, agentId: agentId3 })
          );
        }
      }
    }
    if (uuid !== void 0 && agentId3 === void 0 && (type === "assistant" || type === "user")) {
      this.#lastUuid = uuid;
      this.#messages.add(idOf(uuid));
    }
  }
  #chain(agentId3) {
    const known = this.#chains.get(agentId3 ?? "");
    if (known !== void 0) return known;
    const chain2 = { turn: void 0, toldAt: null, messages: 0, written: /* @__PURE__ */ new Map() };
    this.#chains.set(agentId3 ?? "", chain2);
    return chain2;
  }
  /** The agent that a record is of; undefined for the session's own. In a subagent's file all is of one agent. */
  #agentOf(value2, uuid) {
    if (this.#subagent !== void 0 || field(value2, "isSidechain") !== true) return void 0;
    const parent = textOf(value2, "parentUuid");
    const named = textOf(value2, "agentId");
    const inherited = parent === void 0 ? void 0 : this.#sidechains.get(parent);
    const agent = named === void 0 ? inherited ?? `sidechain-${(uuid ?? String(this.#number)).slice(0, 8)}` : `agent-${named}`;
    if (uuid !== void 0 && this.#sidechains.size < MAX_SIDECHAINS) this.#sidechains.set(uuid, agent);
    return agent;
  }
  /** Does something now, or after the answer that is under way in the chain. */
  #later(run, chain2, what) {
    if (chain2.turn === void 0) what();
    else {
      chain2.turn.after(what);
      if (chain2.turn.isFull) this.#finishTurn(run, chain2);
    }
  }
  #assistant(run, chain2, value2, key, at2, agentId3) {
    const message = field(value2, "message");
    const model = textOf(message, "model") ?? "unknown";
    if (field(value2, "isApiErrorMessage") === true) {
      this.#failed(run, chain2, value2, key, at2, agentId3);
      return;
    }
    if (model === "<synthetic>") {
      const text = contentTexts(message);
      this.#later(run, chain2, () => run.spoke(key, text, { at: at2, agentId: agentId3 }));
      return;
    }
    const id = textOf(message, "id") ?? textOf(value2, "requestId") ?? key;
    if (chain2.turn !== void 0 && chain2.turn.id !== id) this.#finishTurn(run, chain2);
    chain2.turn ??= new OpenTurn(id, model, chain2.toldAt, at2, agentId3);
    const turn = chain2.turn;
    turn.at = at2 ?? turn.at;
    turn.usage = usageOf(message) ?? turn.usage;
    for (const block of blocksOf(message)) {
      const part = answerPart(block);
      if (part === void 0) {
        const kind2 = textOf(block, "type") ?? "unknown";
        if (!(kind2 === "text" || kind2 === "thinking"))
          turn.after(() => run.keep(`${key}:${turn.waiting.length}`, `block/${kind2}`, block, { at: at2, agentId: agentId3 }));
        continue;
      }
      if (!turn.add(part) || part.type !== "call") continue;
      const callId = textOf(block, "id") ?? "";
      const written = () => this.#keyOf(chain2, turn);
      turn.after(
        () => run.called(callId, textOf(block, "name") ?? "unknown", field(block, "input"), {
          at: at2,
          agentId: agentId3,
          cause: `answered:${written()}`
        })
      );
    }
    if (agentId3 !== void 0) return;
    this.#failure = void 0;
    this.#open = turn.calls ? "it ends with calls that have no result" : void 0;
  }
  /** An answer that never came: what Claude Code shows in its place. */
  #failed(run, chain2, value2, key, at2, agentId3) {
    this.#finishTurn(run, chain2);
    const reason2 = contentTexts(field(value2, "message")) || "an error of the provider";
    run.turnFailed(key, { provider: "anthropic", model: "unknown", kind: failureKind(reason2), reason: reason2, at: at2, agentId: agentId3 });
    if (agentId3 === void 0) this.#failure = reason2;
  }
  #user(run, chain2, value2, key, at2, agentId3) {
    const blocks = blocksOf(field(value2, "message"));
    const results = blocks.filter((block) => field(block, "type") === "tool_result");
    for (const [index, block] of results.entries()) {
      this.#later(run, chain2, () => this.#result(run, chain2, value2, block, `${key}:${index}`, at2, agentId3));
    }
    const said = contentParts(blocks);
    if (said.length === 0) {
      if (results.length === 0) this.#later(run, chain2, () => run.keep(key, "user", value2, { at: at2, agentId: agentId3 }));
      return;
    }
    if (results.length === 0) this.#finishTurn(run, chain2);
    chain2.messages += 1;
    const text = contentTexts(field(value2, "message"));
    if (field(value2, "isCompactSummary") === true) {
      run.compacted(key, chain2.messages, text, at2);
      run.told({ role: "user", content: said }, agentId3);
    } else if (field(value2, "isMeta") === true || agentId3 === void 0 && OF_THE_PROGRAM.test(text) || results.length > 0) {
      this.#later(run, chain2, () => run.told({ role: "user", content: said }, agentId3));
    } else {
      this.#rewound(run, value2, key, at2, agentId3);
      const source2 = agentId3 === void 0 ? "user" : "agent";
      const cause3 = { at: at2, agentId: agentId3, source: source2 };
      run.said(key, said.length === 1 && text !== "" ? text : said, cause3);
      if (agentId3 === void 0)
        this.#open = INTERRUPTED.test(text) ? "it was interrupted by the user" : "it ends before the agent answered";
    }
    chain2.toldAt = at2;
  }
  /** A prompt that follows an earlier message than the last: the person went back, and the conversation branches. */
  #rewound(run, value2, key, at2, agentId3) {
    const parent = textOf(value2, "parentUuid");
    if (agentId3 !== void 0 || parent === void 0 || this.#lastUuid === void 0 || parent === this.#lastUuid)
      return;
    if (!this.#messages.has(idOf(parent))) return;
    run.note(
      key,
      `the conversation was rewound to message ${parent}; what came after it is not part of what follows`,
      at2
    );
    this.#runs.remark(
      "a conversation that was rewound: both branches are in the task, in the order in which they were lived"
    );
  }
  #result(run, chain2, value2, block, key, at2, agentId3) {
    const callId = textOf(block, "tool_use_id") ?? "";
    const content = resultContent(block);
    const isError = field(block, "is_error") === true;
    chain2.toldAt = at2;
    if (isError && typeof content === "string" && REFUSED.test(content)) {
      if (run.denied(callId, content, at2) === void 0) run.keep(key, "tool_result", value2, { at: at2, agentId: agentId3 });
      return;
    }
    const command = run.result(callId, { ok: !isError, content, at: at2 });
    if (command === void 0) {
      this.#runs.remark("results of calls that are not in the file: they are kept as they are");
      run.keep(key, "tool_result", value2, { at: at2, agentId: agentId3 });
      return;
    }
    chain2.messages += 1;
    if (agentId3 === void 0) this.#open = "it ends before the agent answered";
    if (!isError) apply(run, callId, command, field(value2, "toolUseResult"), at2);
  }
  #keyOf(chain2, turn) {
    const times2 = chain2.written.get(turn.id) ?? 1;
    return times2 === 1 ? turn.id : `${turn.id}#${times2}`;
  }
  /** Writes the answer that is under way, and then what waited for it. */
  #finishTurn(run, chain2) {
    const { turn } = chain2;
    if (turn === void 0) return;
    chain2.turn = void 0;
    chain2.messages += 1;
    const times2 = (chain2.written.get(turn.id) ?? 0) + 1;
    if (chain2.written.size >= MAX_WRITTEN)
      for (const oldest of [...chain2.written.keys()].slice(0, MAX_WRITTEN / 2)) chain2.written.delete(oldest);
    chain2.written.set(turn.id, times2);
    const key = this.#keyOf(chain2, turn);
    run.turn({
      ...{ key, provider: "anthropic", model: turn.model, parts: turn.parts, askedAt: turn.askedAt, at: turn.at },
      // Of an answer that goes on after others, the tokens were counted with its first part.
      usage: times2 === 1 ? turn.usage : { inputTokens: 0, outputTokens: 0 },
      ...turn.agentId === void 0 ? {} : { agentId: turn.agentId }
    });
    if (!turn.calls && turn.text !== "")
      run.spoke(key, turn.text, { at: turn.at, cause: `answered:${key}`, agentId: turn.agentId });
    for (const what of turn.waiting) what();
  }
};
var MAX_SIDECHAINS = 1e5;
var contentTexts = (message) => blocksOf(message).flatMap((block) => textOf(block, "text") ?? []).join("\n");
var goalIn = (value2) => {
  if (field(value2, "type") !== "user" || !isObject3(field(value2, "message"))) return void 0;
  if (field(value2, "isMeta") === true || field(value2, "isCompactSummary") === true) return void 0;
  const text = contentTexts(field(value2, "message"));
  return text === "" || OF_THE_PROGRAM.test(text) || INTERRUPTED.test(text) ? void 0 : text;
};
var failureKind = (reason2) => {
  if (/\b401\b|authenticat|API key/i.test(reason2)) return "unauthorized";
  if (/\b429\b|rate.?limit|usage limit/i.test(reason2)) return "rate-limited";
  if (/\b5(?:29|0\d)\b|overloaded/i.test(reason2)) return "overloaded";
  if (/too long|context/i.test(reason2)) return "context-too-long";
  if (/\b400\b|invalid/i.test(reason2)) return "invalid-request";
  return /time.?out/i.test(reason2) ? "timed-out" : "unreachable";
};

// src/importing/claude/ClaudeCode.ts
var UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
var isOwn = (line2) => textOf(line2, "sessionId") !== void 0 && textOf(line2, "type") !== void 0 && field(line2, "payload") === void 0 || textOf(line2, "type") === "summary" && textOf(line2, "leafUuid") !== void 0;
var claudeCode = {
  name: "claude-code",
  title: "session of Claude Code",
  form: "lines",
  recognizes: ({ lines }) => lines.some(isOwn),
  open: (file, runs) => mapper(file, runs)
};
var mapper = (file, runs) => {
  const named = file.name.replace(/\.jsonl$/i, "");
  const subagent = /^agent-(.+)$/.exec(named)?.[1];
  const owner = UUID.test(named) ? named : void 0;
  const sessions = /* @__PURE__ */ new Map();
  const early = [];
  let last3;
  const sessionOf = (id) => {
    const known = sessions.get(id);
    if (known !== void 0) return known;
    const session = new Session(runs, file.now, id, subagent);
    sessions.set(id, session);
    for (const value2 of early.splice(0)) session.record(value2);
    return session;
  };
  return {
    record: ({ value: value2 }) => {
      const id = textOf(value2, "sessionId");
      if (id === void 0) {
        if (last3 === void 0 && early.length < MAX_EARLY) early.push(value2);
        else last3?.record(value2);
        return;
      }
      if (owner !== void 0 && id !== owner && UUID.test(id)) {
        runs.leaveOut(
          "record of another session",
          `it was copied from session ${id.slice(0, 8)}\u2026, which has a file of its own`
        );
        return;
      }
      last3 = sessionOf(id);
      last3.record(value2);
    },
    end: () => {
      for (const session of sessions.values()) session.end();
      for (const value2 of early) runs.leaveOut(textOf(value2, "type") ?? "record", "no session is named");
    }
  };
};
var MAX_EARLY = 1e3;

// src/importing/codex/Items.ts
var textIn = (item, name) => {
  const content = field(item, name);
  if (typeof content === "string") return content;
  return listOf(item, name).flatMap((part) => textOf(part, "text") ?? []).join("\n");
};
var contentParts2 = (item) => listOf(item, "content").flatMap((part) => {
  const text = textOf(part, "text");
  if (text !== void 0) return [{ type: "text", text }];
  const [, mediaType, data] = /^data:([\w.+/-]+);base64,(.+)$/s.exec(textOf(part, "image_url") ?? "") ?? [];
  return mediaType === void 0 || data === void 0 ? [] : [{ type: "file", mediaType, data }];
});
var callOf = (item) => {
  const type = textOf(item, "type");
  if (type === "local_shell_call")
    return { tool: "local_shell", args: logJson(field(item, "action") ?? {}).json, isText: false };
  if (type === "web_search_call")
    return { tool: "web_search", args: logJson(field(item, "action") ?? {}).json, isText: false };
  const tool = textOf(item, "name") ?? "unknown";
  if (type === "custom_tool_call")
    return { tool, args: { input: logJson(field(item, "input") ?? "").json }, isText: false };
  const text = field(item, "arguments");
  if (typeof text !== "string") return { tool, args: logJson(text ?? {}).json, isText: false };
  const args2 = text === "" ? {} : parsed(text);
  return args2 === void 0 ? { tool, args: logJson(text).json, isText: true } : { tool, args: logJson(args2).json, isText: false };
};
var resultOf = (item) => {
  const output = field(item, "output");
  if (Array.isArray(output)) {
    const texts = output.map((part) => textOf(part, "text"));
    const content = texts.every((text) => text !== void 0) ? texts.join("\n") : output;
    return { content, ok: typeof content !== "string" || isSuccess3(content) };
  }
  if (isObject3(output)) {
    const content = field(output, "content") ?? output;
    return { content, ok: field(output, "success") !== false && (typeof content !== "string" || isSuccess3(content)) };
  }
  if (typeof output !== "string") return { content: output ?? null, ok: true };
  const structured = output.startsWith("{") ? parsed(output) : void 0;
  const exitCode = field(field(structured, "metadata"), "exit_code");
  if (typeof exitCode === "number") return { content: structured, ok: exitCode === 0 };
  return { content: output, ok: isSuccess3(output) };
};
var isSuccess3 = (text) => {
  const head5 = text.slice(0, 400);
  const [, code] = /^(?:Exit code: |Process exited with code )(-?\d+)/m.exec(head5) ?? [];
  return code === void 0 ? !/^(?:execution error|failed to parse function arguments|unsupported call)/i.test(head5) : code === "0";
};
var isRefusal = (content) => typeof content === "string" && /^(?:exec command rejected by user|patch rejected by user|rejected by user)/i.test(content);
var patchOf = (tool, args2) => {
  const texts = [
    field(args2, "input"),
    field(args2, "patch"),
    args2,
    ...listOf(args2, "command"),
    field(args2, "command"),
    field(args2, "cmd")
  ];
  if (tool !== "apply_patch" && !["shell", "local_shell", "exec_command", "container.exec"].includes(tool))
    return void 0;
  const text = texts.find((one) => typeof one === "string" && one.includes("*** Begin Patch"));
  const [, patch9] = /\*\*\* Begin Patch\n([\s\S]*?)(?:\n\*\*\* End Patch|$)/.exec(text ?? "") ?? [];
  return patch9;
};
var usageOf2 = (info) => {
  const last3 = field(info, "last_token_usage");
  if (!isObject3(last3)) return void 0;
  const [cachedTokens, reasoningTokens] = [
    countOf(last3, "cached_input_tokens"),
    countOf(last3, "reasoning_output_tokens")
  ];
  return {
    ...{ inputTokens: countOf(last3, "input_tokens"), outputTokens: countOf(last3, "output_tokens") },
    ...cachedTokens === 0 ? {} : { cachedTokens },
    ...reasoningTokens === 0 ? {} : { reasoningTokens }
  };
};

// src/importing/codex/Patch.ts
var HEADER = /^\*\*\* (Add File|Delete File|Update File|Move to): (.+)$/;
var patched = (patch9, known) => {
  const files = [];
  for (const { kind: kind2, path: path14, movedTo, lines } of sectionsOf(patch9)) {
    const before2 = known(path14);
    if (kind2 === "Delete File") files.push({ path: path14, before: before2, after: void 0 });
    else {
      const after4 = kind2 === "Add File" ? added(lines) : typeof before2 === "string" ? updated(before2, lines) : null;
      if (movedTo === void 0) files.push({ path: path14, before: before2, after: after4 });
      else files.push({ path: path14, before: before2, after: void 0 }, { path: movedTo, before: known(movedTo), after: after4 });
    }
  }
  return files;
};
var sectionsOf = (patch9) => {
  const sections = [];
  for (const line2 of patch9.split("\n")) {
    const [, kind2, path14] = HEADER.exec(line2) ?? [];
    const last3 = sections.at(-1);
    if (kind2 === "Move to" && last3 !== void 0) last3.movedTo = path14;
    else if (kind2 !== void 0 && path14 !== void 0) sections.push({ kind: kind2, path: path14, movedTo: void 0, lines: [] });
    else if (!line2.startsWith("*** ") && last3 !== void 0) last3.lines.push(line2);
  }
  return sections;
};
var added = (lines) => lines.flatMap((line2) => line2.startsWith("+") ? [`${line2.slice(1)}
`] : []).join("");
var updated = (content, lines) => {
  let now = content.split("\n");
  let from = 0;
  for (const hunk of hunksOf(lines)) {
    const old = hunk.filter((line2) => !line2.startsWith("+")).map((line2) => line2.slice(1));
    const next = hunk.filter((line2) => !line2.startsWith("-")).map((line2) => line2.slice(1));
    const at2 = placeOf(now, old, from);
    if (at2 < 0) return null;
    now = [...now.slice(0, at2), ...next, ...now.slice(at2 + old.length)];
    from = at2 + next.length;
  }
  return now.join("\n");
};
var hunksOf = (lines) => {
  const hunks = [];
  for (const line2 of lines) {
    if (line2.startsWith("@@")) hunks.push([]);
    else if (/^[ +-]/.test(line2)) {
      if (hunks.length === 0) hunks.push([]);
      hunks.at(-1)?.push(line2);
    }
  }
  return hunks.filter((hunk) => hunk.length > 0);
};
var placeOf = (lines, old, from) => {
  if (old.length === 0) return lines.at(-1) === "" ? lines.length - 1 : lines.length;
  for (let at2 = from; at2 + old.length <= lines.length; at2++)
    if (old.every((line2, index) => lines[at2 + index] === line2)) return at2;
  return -1;
};

// src/importing/codex/Rollout.ts
var SETTLED_MS2 = 60 * 60 * 1e3;
var MAX_BEFORE_GOAL2 = 200;
var OF_THE_PROGRAM2 = /^<(?:environment_context|user_instructions|user_shell_command|turn_aborted|permissions|INSTRUCTIONS|skill)|^# AGENTS\.md instructions/;
var TOLD_TWICE = /* @__PURE__ */ new Map([
  ["agent_reasoning", "it repeats an item of reasoning"],
  ["agent_reasoning_raw_content", "it repeats an item of reasoning"],
  ["agent_reasoning_section_break", "it holds nothing"],
  ["exec_command_begin", "it repeats a call"],
  ["exec_command_output_delta", "it repeats a part of a result"],
  ["exec_command_end", "it repeats a result"],
  ["mcp_tool_call_begin", "it repeats a call"],
  ["mcp_tool_call_end", "it repeats a result"],
  ["patch_apply_begin", "it repeats a call"],
  ["patch_apply_end", "it repeats a result"],
  ["web_search_begin", "it repeats a call"],
  ["web_search_end", "it repeats a call"]
]);
var Rollout = class {
  #runs;
  #file;
  #early = [];
  #meta;
  #run;
  #turn;
  #seen = new IdSet();
  #model = "unknown";
  #settings = "";
  #number = 0;
  #messages = 0;
  #lastAt = null;
  #toldAt = null;
  /** The last words of the person and of the agent, by which their second form is known. */
  #words = /* @__PURE__ */ new Map();
  #open = "it ends before the agent answered";
  constructor(runs, file) {
    this.#runs = runs;
    this.#file = file;
  }
  record(value2) {
    if (this.#run !== void 0) {
      this.#map(this.#run, value2);
      return;
    }
    if (this.#meta === void 0 && field(value2, "type") === "session_meta") this.#meta = field(value2, "payload");
    else if (this.#meta === void 0 && this.#early.length === 0 && textOf(value2, "id") !== void 0)
      this.#meta = value2;
    this.#early.push(value2);
    const goal = goalIn2(value2);
    if (goal !== void 0 || this.#early.length >= MAX_BEFORE_GOAL2) this.#begin(goal ?? "");
  }
  end() {
    const times2 = this.#early.map((value2) => timeOf(field(value2, "timestamp"))).filter((time) => time !== null);
    const last3 = this.#lastAt ?? times2.at(-1) ?? null;
    const settled = last3 === null || this.#file.now - last3 > SETTLED_MS2;
    if (this.#run === void 0 && settled && this.#early.length > 0) this.#begin("");
    const run = this.#run;
    if (run === void 0) return;
    if (!settled) {
      if (this.#turn !== void 0)
        this.#runs.remark(
          "a last answer that may not be whole yet: it is imported when the rollout goes on or is silent for an hour"
        );
      return;
    }
    this.#finishTurn(run);
    if (this.#open === void 0)
      run.close(String(this.#number), "achieved", "the agent ended its turn; the source has no verdict", this.#lastAt);
    else run.close(String(this.#number), "abandoned", this.#open, this.#lastAt);
  }
  #begin(goal) {
    const early = this.#early;
    this.#early = [];
    const meta = this.#meta;
    const id = textOf(meta, "id") ?? /([0-9a-f-]{36})\.jsonl$/i.exec(this.#file.name)?.[1] ?? this.#file.digest;
    const named = ["cwd", "originator", "cli_version", "model_provider", "forked_from_id"].flatMap((name) => {
      const text = textOf(meta, name);
      return text === void 0 ? [] : [[name, text]];
    });
    const git = field(meta, "git");
    const run = this.#runs.open({
      ...{ id, goal: goal === "" ? `rollout ${id}` : goal, agent: `codex@${textOf(meta, "cli_version") ?? "unknown"}` },
      at: timeOf(field(meta, "timestamp") ?? field(early[0], "timestamp")),
      about: { session: id, ...Object.fromEntries(named), ...isObject3(git) ? { git: logJson(git).json } : {} }
    });
    this.#run = run;
    for (const value2 of early) this.#map(run, value2);
  }
  #map(run, value2) {
    const at2 = timeOf(field(value2, "timestamp"));
    if (at2 !== null && !this.#seen.add(idOf(JSON.stringify(value2)))) {
      this.#runs.leaveOut(textOf(value2, "type") ?? "record", "the same record again");
      return;
    }
    this.#number += 1;
    const key = String(this.#number);
    if (at2 !== null) this.#lastAt = at2;
    const payload = field(value2, "payload");
    const type = textOf(value2, "type") ?? "unknown";
    if (!isObject3(payload)) {
      if (value2 === this.#meta || textOf(value2, "record_type") === "state") return;
      this.#item(run, value2, key, at2);
      return;
    }
    switch (type) {
      case "session_meta":
        if (payload !== this.#meta) this.#later(run, () => run.keep(key, "session_meta", payload, { at: at2 }));
        break;
      case "turn_context":
        this.#settingsOf(run, payload, key, at2);
        break;
      case "response_item":
        this.#item(run, payload, key, at2);
        break;
      case "event_msg":
        this.#message(run, payload, key, at2);
        break;
      case "compacted":
        this.#finishTurn(run);
        run.compacted(key, this.#messages, textOf(payload, "message") ?? "", at2);
        break;
      default:
        this.#later(run, () => run.keep(key, type, value2, { at: at2 }));
    }
  }
  #settingsOf(run, payload, key, at2) {
    this.#finishTurn(run);
    this.#model = textOf(payload, "model") ?? this.#model;
    const settings = JSON.stringify(logJson(payload).json);
    if (settings === this.#settings) this.#runs.leaveOut("turn_context", "nothing in it changed");
    else run.keep(key, "turn_context", payload, { at: at2 });
    this.#settings = settings;
  }
  /** An item of the conversation, as the model was told or answered it. */
  #item(run, item, key, at2) {
    const type = textOf(item, "type") ?? "unknown";
    const callId = textOf(item, "call_id") ?? textOf(item, "id") ?? key;
    switch (type) {
      case "message":
        if (textOf(item, "role") === "assistant")
          this.#answered(run, key, at2).add({ type: "text", text: textIn(item, "content") });
        else this.#toldMessage(run, item, key, at2);
        if (textOf(item, "role") === "assistant")
          this.#isRepeated("agent", { text: textIn(item, "content"), by: "item", key, at: at2 });
        break;
      case "reasoning":
        this.#answered(run, key, at2).add({
          type: "reasoning",
          text: textIn(item, "summary") || textIn(item, "content")
        });
        break;
      case "function_call":
      case "custom_tool_call":
      case "local_shell_call":
      case "web_search_call": {
        const { tool, args: args2, isText } = callOf(item);
        const turn = this.#answered(run, key, at2);
        turn.add({
          type: "call",
          callId: nameFrom(callId),
          tool: nameFrom(tool),
          args: args2,
          ...isText ? { invalid: true } : {}
        });
        turn.after(() => run.called(callId, tool, args2, { at: at2, cause: `answered:${turn.id}` }));
        if (type === "web_search_call") turn.after(() => run.result(callId, { ok: true, content: null, at: at2 }));
        this.#open = "it ends with calls that have no result";
        break;
      }
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        this.#later(run, () => this.#result(run, item, callId, key, at2));
        break;
      default:
        this.#later(run, () => run.keep(key, type, item, { at: at2 }));
    }
  }
  /** The answer that is under way; a new one if what stood last was a result. */
  #answered(run, key, at2) {
    if (this.#turn !== void 0 && (this.#turn.ended || this.#hasResults)) this.#finishTurn(run);
    this.#turn ??= new OpenTurn(key, this.#model, this.#toldAt, at2, void 0);
    this.#turn.at = at2 ?? this.#turn.at;
    this.#open = void 0;
    return this.#turn;
  }
  /** Whether a result came after the answer that is under way. */
  #hasResults = false;
  #result(run, item, callId, key, at2) {
    const { content, ok } = resultOf(item);
    this.#toldAt = at2;
    if (isRefusal(content)) {
      if (run.denied(callId, content, at2) === void 0) run.keep(key, "result", item, { at: at2 });
      return;
    }
    const command = run.result(callId, { ok, content, at: at2 });
    if (command === void 0) {
      this.#runs.remark("results of calls that are not in the file: they are kept as they are");
      run.keep(key, "result", item, { at: at2 });
      return;
    }
    this.#messages += 1;
    const patch9 = ok ? patchOf(command.tool, command.args) : void 0;
    if (patch9 === void 0) return;
    for (const { path: path14, before: before2, after: after4 } of patched(patch9, (path15) => run.files.get(path15)))
      run.fileChanged(callId, path14, before2, after4, at2);
  }
  #toldMessage(run, item, key, at2) {
    const text = textIn(item, "content");
    const isPrompt = textOf(item, "role") === "user" && text !== "" && !OF_THE_PROGRAM2.test(text);
    if (isPrompt && this.#isRepeated("user", { text, by: "item", key, at: at2 })) {
      this.#runs.leaveOut("message", "it repeats what an event of the person's words holds");
      return;
    }
    this.#finishTurn(run);
    this.#messages += 1;
    this.#toldAt = at2;
    if (isPrompt) this.#said(run, key, contentParts2(item), text, at2);
    else run.told({ role: "user", content: [{ type: "text", text }] });
  }
  #said(run, key, content, text, at2) {
    this.#spokeByEvent(run);
    run.said(key, content.length > 1 ? content : text, { at: at2 });
    this.#open = "it ends before the agent answered";
  }
  /** What the program told its own screen. Much of it repeats items. */
  #message(run, payload, key, at2) {
    const type = textOf(payload, "type") ?? "unknown";
    const why = TOLD_TWICE.get(type);
    if (why !== void 0) {
      this.#runs.leaveOut(type, why);
      return;
    }
    const text = textOf(payload, "message") ?? "";
    switch (type) {
      case "token_count": {
        const usage = usageOf2(field(payload, "info"));
        if (usage === void 0 || this.#turn === void 0 || this.#turn.ended)
          this.#runs.leaveOut(type, "it is of no answer, or repeats the one before");
        else {
          this.#turn.usage = usage;
          this.#turn.ended = true;
        }
        break;
      }
      case "user_message":
        if (this.#isRepeated("user", { text, by: "event", key, at: at2 })) this.#runs.leaveOut(type, "it repeats a message");
        else {
          this.#finishTurn(run);
          this.#toldAt = at2;
          this.#said(run, key, [], text, at2);
        }
        break;
      case "agent_message":
        if (this.#isRepeated("agent", { text, by: "event", key, at: at2 })) this.#runs.leaveOut(type, "it repeats a message");
        break;
      case "turn_aborted":
        this.#later(run, () => run.keep(key, type, payload, { at: at2 }));
        this.#open = `its turn was aborted: ${textOf(payload, "reason") ?? "no reason is given"}`;
        break;
      case "task_complete":
      case "turn_complete":
        this.#open = void 0;
        this.#runs.leaveOut(type, "the end of a turn, which its last answer shows");
        break;
      case "task_started":
      case "turn_started":
        this.#runs.leaveOut(type, "the start of a turn, which its prompt shows");
        break;
      default:
        this.#later(run, () => run.keep(key, type, payload, { at: at2 }));
    }
  }
  /** Whether these words were told in the other form just before. */
  #isRepeated(who, words) {
    const last3 = this.#words.get(who);
    if (last3 !== void 0 && last3.by !== words.by && last3.text === words.text) {
      this.#words.delete(who);
      return true;
    }
    this.#words.set(who, words);
    return false;
  }
  /** The agent's words of which there is an event and no item, as in rollouts of which items were left out. */
  #spokeByEvent(run) {
    const words = this.#words.get("agent");
    if (words?.by !== "event") return;
    this.#words.delete("agent");
    run.spoke(words.key, words.text, { at: words.at });
    this.#open = void 0;
  }
  #later(run, what) {
    if (this.#turn === void 0) what();
    else {
      this.#hasResults = true;
      this.#turn.after(what);
      if (this.#turn.isFull) this.#finishTurn(run);
    }
  }
  #finishTurn(run) {
    const turn = this.#turn;
    if (turn === void 0) return;
    this.#turn = void 0;
    this.#hasResults = false;
    this.#messages += 1;
    const provider = textOf(this.#meta, "model_provider") ?? "openai";
    run.turn({
      ...{ key: turn.id, provider, model: turn.model, parts: turn.parts, usage: turn.usage },
      askedAt: turn.askedAt,
      at: turn.at
    });
    if (!turn.calls && turn.text !== "") run.spoke(turn.id, turn.text, { at: turn.at, cause: `answered:${turn.id}` });
    for (const what of turn.waiting) what();
  }
};
var goalIn2 = (value2) => {
  const payload = isObject3(field(value2, "payload")) ? field(value2, "payload") : value2;
  const isPrompt = field(payload, "type") === "message" && field(payload, "role") === "user";
  const text = field(payload, "type") === "user_message" ? textOf(payload, "message") : isPrompt ? textIn(payload, "content") : "";
  return text === void 0 || text === "" || OF_THE_PROGRAM2.test(text) ? void 0 : text;
};

// src/importing/codex/Codex.ts
var ITEMS = /* @__PURE__ */ new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]);
var isOwn2 = (line2) => ITEMS.has(textOf(line2, "type") ?? "") && isObject3(field(line2, "payload"));
var isLegacyStart = (line2) => textOf(line2, "id") !== void 0 && textOf(line2, "timestamp") !== void 0 && textOf(line2, "type") === void 0 && textOf(line2, "sessionId") === void 0;
var codex = {
  name: "codex",
  title: "rollout of Codex",
  form: "lines",
  recognizes: ({ lines, name }) => lines.some(isOwn2) || isLegacyStart(lines[0]) && (name.startsWith("rollout-") || LEGACY.has(textOf(lines[1], "type") ?? "")),
  open: (file, runs) => {
    const rollout = new Rollout(runs, file);
    return { record: ({ value: value2 }) => rollout.record(value2), end: () => rollout.end() };
  }
};
var LEGACY = /* @__PURE__ */ new Set(["message", "function_call", "reasoning"]);

// src/importing/Sources.ts
var SOURCES = [claudeCode, codex];

// src/importing/Import.ts
var importFiles = (options) => Effect6.gen(function* () {
  const log4 = yield* EventLog;
  const { dryRun = false, redact: redact2 = false, onProgress = () => Effect6.void } = options;
  const sources = options.from === void 0 ? SOURCES : SOURCES.filter(({ name }) => name === options.from);
  const forced2 = options.from === void 0 ? sources : sources.map((source2) => ({ ...source2, recognizes: () => true }));
  const { found, unknown: unknown2 } = yield* find2(options.paths, forced2);
  const total = found.reduce((sum2, { file }) => sum2 + (fs4.statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  let before2 = 0;
  const files = [];
  const refused2 = [];
  for (const one of found) {
    const writing = {
      log: log4,
      source: one.source.name,
      redact: redact2,
      dryRun,
      ...options.subject === void 0 ? {} : { subject: options.subject }
    };
    const report = yield* importFile(
      writing,
      one,
      (bytes) => onProgress(before2 + bytes, Math.max(total, before2 + bytes))
    ).pipe(
      Effect6.catchTag("FileRefused", ({ expected, found: found2 }) => {
        refused2.push({ file: one.file, reason: `expected ${expected}, found ${found2}` });
        return Effect6.succeed(void 0);
      })
    );
    if (report !== void 0) files.push(report);
    before2 += report?.bytes ?? 0;
  }
  return { dryRun, files, refused: refused2, unknown: unknown2, added: files.reduce((sum2, { added: added2 }) => sum2 + added2, 0) };
});
var importFile = (writing, { file, source: source2 }, onBytes) => Effect6.gen(function* () {
  const extent = yield* extentOf(file, source2);
  const runs = new Runs(source2.name);
  const appenders = /* @__PURE__ */ new Map();
  let records = 0;
  if (yield* isImported(writing, extent))
    return reportOf(file, source2, extent, runs, appenders, { records, added: 0, known: true });
  const mapper2 = source2.open(
    {
      name: path2.basename(file),
      path: file,
      digest: extent.digest,
      now: yield* Clock2.currentTimeMillis,
      beside: besides(file)
    },
    runs
  );
  const write4 = Effect6.suspend(() => {
    const flushes = [];
    for (const event of runs.drain()) {
      let appender = appenders.get(event.run);
      if (appender === void 0) {
        appender = new TaskAppender(writing, event.run);
        appenders.set(event.run, appender);
      }
      const due = appender.take(event);
      if (due !== void 0) flushes.push(due);
      if (event.body.type === "TaskClosed") flushes.push(appender.flush);
    }
    return Effect6.all(flushes, { discard: true });
  });
  yield* read(file, source2, extent, mapper2, runs, (count, bytes) => {
    records += count;
    return Effect6.zipRight(write4, onBytes(bytes));
  });
  mapper2.end();
  yield* write4;
  for (const appender of appenders.values()) yield* appender.flush;
  if (extent.partial) runs.remark("a last line that is not whole yet: it is imported when it is");
  const scored = yield* append4(writing, appenders, runs.scores);
  const counted2 = { records, added: scored, known: false };
  return yield* conclude(writing, file, source2, extent, reportOf(file, source2, extent, runs, appenders, counted2));
});
var extentOf = (file, { form }) => form === "lines" ? examineLines(file) : examineWhole(file, form === "document" ? MAX_DOCUMENT_BYTES : Number.POSITIVE_INFINITY);
var importedId = (source2, digest2, finished) => idOf(source2, "file", digest2, String(finished));
var isImported = ({ log: log4, source: source2 }, { digest: digest2 }) => Effect6.map(log4.find(importedId(source2, digest2, true)), Option5.isSome);
var besides = (file) => (name) => {
  const beside = path2.join(path2.dirname(file), name);
  const stat2 = fs4.statSync(beside, { throwIfNoEntry: false });
  return stat2?.isFile() === true && stat2.size <= MAX_BESIDE_BYTES ? fs4.readFileSync(beside, "utf8") : void 0;
};
var MAX_BESIDE_BYTES = 4 * 1024 * 1024;
var read = (file, source2, { bytes }, mapper2, runs, onRecords) => {
  const refuse = (cause3) => cause3 instanceof FileRefused ? cause3 : new FileRefused({
    file,
    expected: `a ${source2.title}`,
    found: cause3 instanceof Error ? cause3.message : String(cause3)
  });
  return Effect6.gen(function* () {
    if (source2.form === "archive") return yield* readArchive(file, mapper2, refuse, onRecords);
    if (source2.form === "document") {
      const text = yield* Effect6.tryPromise({ try: () => fs4.promises.readFile(file, "utf8"), catch: refuse });
      const value2 = yield* Effect6.try({ try: () => parsedDocument(text), catch: refuse });
      mapper2.record({ value: value2, where: "the document" });
      return yield* onRecords(1, bytes);
    }
    let line2 = 0;
    let done7 = 0;
    const lines = linesOf(file, bytes);
    try {
      while (true) {
        const next = yield* Effect6.tryPromise({ try: () => lines.next(), catch: refuse });
        if (next.done === true) return;
        let count = 0;
        for (const text of next.value) {
          line2 += 1;
          done7 += text.length + 1;
          if (text.trim() === "") continue;
          count += 1;
          const value2 = parsedLine(text);
          if (typeof value2 === "object" && value2 !== null) mapper2.record({ value: value2, where: String(line2) });
          else runs.leaveOut("line", "it is no JSON object");
          if (count % LINES_BETWEEN_WRITES === 0) yield* onRecords(0, done7);
        }
        yield* onRecords(count, done7);
      }
    } finally {
      yield* Effect6.promise(() => lines.return(void 0));
    }
  });
};
var LINES_BETWEEN_WRITES = 256;
var parsedLine = (text) => {
  try {
    return JSON.parse(text.charCodeAt(0) === 65279 ? text.slice(1) : text);
  } catch {
    return void 0;
  }
};
var readArchive = (file, mapper2, refuse, onRecords) => Effect6.acquireUseRelease(
  Effect6.tryPromise({ try: () => open2(file), catch: refuse }),
  (archive) => Effect6.gen(function* () {
    let done7 = 0;
    for (const entry of partsInOrder(archive.entries)) {
      const bytes = yield* Effect6.tryPromise({ try: () => archive.read(entry), catch: refuse });
      const value2 = yield* Effect6.try({ try: () => parsedDocument(bytes.toString("utf8")), catch: refuse });
      mapper2.record({ value: value2, where: entry.name });
      done7 += entry.compressed;
      yield* onRecords(1, done7);
    }
  }),
  (archive) => Effect6.promise(() => archive.close())
);
var partsInOrder = (entries3) => {
  const parts3 = [...entries3.values()].filter(({ name }) => name.endsWith(".json"));
  const isSample = ({ name }) => name.startsWith("samples/");
  return [...parts3.filter((part) => !isSample(part)), ...parts3.filter(isSample)];
};
var parsedDocument = (text) => {
  const plain = text.charCodeAt(0) === 65279 ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (cause3) {
    if (!/\b(?:NaN|Infinity)\b/.test(plain)) throw cause3;
    return JSON.parse(
      plain.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) => found.startsWith('"') ? found : "null")
    );
  }
};
var reportOf = (file, source2, { digest: digest2, bytes }, runs, appenders, { records, added: added2, known }) => {
  const ofRuns = runs.all.map((run) => {
    const appender = appenders.get(run);
    return {
      taskIds: appender?.taskIds ?? [run.taskId],
      ...{ goal: run.start.goal, ended: run.closed, added: appender?.added ?? 0, commits: appender?.commits ?? 0 }
    };
  });
  return {
    ...{ file, source: source2.name, digest: digest2, bytes, records, known, runs: ofRuns },
    added: added2 + ofRuns.reduce((sum2, run) => sum2 + run.added, 0),
    scorers: [...new Set(runs.scores.map(({ scorer }) => scorer))],
    ...{
      kept: Object.fromEntries(runs.kept),
      leftOut: Object.fromEntries(runs.leftOut),
      remarks: Object.fromEntries(runs.remarks)
    }
  };
};
var conclude = ({ log: log4, subject, redact: redact2, dryRun, source: source2 }, file, { name: _ }, { digest: digest2, bytes }, report) => Effect6.gen(function* () {
  const finished = report.runs.length > 0 && report.runs.every(({ ended }) => ended);
  const id = importedId(source2, digest2, finished);
  if (report.runs.length === 0 || Option5.isSome(yield* log4.find(id))) return report;
  const payload = {
    ...{ source: source2, name: path2.basename(file).toWellFormed(), digest: digest2, bytes, records: report.records, finished },
    taskIds: report.runs.flatMap(({ taskIds }) => taskIds),
    ...{ kept: report.kept, leftOut: report.leftOut }
  };
  const event = { id, type: "FileImported", payload };
  const events = [redact2 ? { ...event, payload: redacted("FileImported", payload) } : event];
  const request2 = { stream: `import/${digest2}`, actor: `import:${source2}`, events };
  if (!dryRun) yield* log4.append(subject === void 0 ? request2 : withSubject(request2, subject));
  return { ...report, added: report.added + 1 };
});

// src/events/sqlite/SqliteEventLog.ts
import { Context as Context8, Effect as Effect44, Either as Either12, Layer, Option as Option11, Schema as Schema22, Scope as Scope2 } from "effect";

// src/events/append/AppendValidation.ts
import { Either as Either3 } from "effect";

// src/events/payload/Blob.ts
var MAX_INLINE_BYTES = 256 * 1024;
var blobOf = (text) => text.length > MAX_INLINE_BYTES || text.length > MAX_INLINE_BYTES / 3 && Buffer.byteLength(text) > MAX_INLINE_BYTES ? { digest: sha256(text), text } : null;
var nameOf = ({ digest: digest2 }) => `"${PREFIX}${digest2}"`;
var digestIn = (text) => text.charCodeAt(0) === QUOTE ? NAME.exec(text)?.[1] : void 0;
var PREFIX = "blob:";
var NAME = /^"blob:([0-9a-f]{64})"$/;
var QUOTE = 34;

// src/events/payload/PayloadEncryption.ts
import * as crypto3 from "node:crypto";
var CIPHER = "aes-256-gcm";
var IV_BYTES = 12;
var TAG_BYTES = 16;
var encryptFields = (key, about, plain) => {
  const iv = crypto3.randomBytes(IV_BYTES);
  const cipher = crypto3.createCipheriv(CIPHER, key.secret, iv).setAAD(Buffer.from(about));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
};
var decryptFields = (key, about, sealed) => {
  if (sealed.length < IV_BYTES + TAG_BYTES) return void 0;
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = crypto3.createDecipheriv(CIPHER, key.secret, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return void 0;
  }
};
var encryptPayload = (key, eventId, payload, replacements) => {
  const personal = Object.fromEntries(Object.keys(replacements).map((field3) => [field3, payload[field3]]));
  const open11 = { ...payload, ...replacements };
  const sealed = encryptFields(key, eventId, Buffer.from(JSON.stringify(personal))).toString("base64");
  return { text: JSON.stringify({ open: open11, sealed }), open: open11 };
};
var decryptPayload = (key, eventId, text) => {
  const { open: open11, sealed } = JSON.parse(text);
  if (key === void 0) return open11;
  const plain = decryptFields(key, eventId, Buffer.from(sealed, "base64"));
  if (plain === void 0) throw new Error(`its personal fields are not what key ${key.id} encrypted`);
  return { ...open11, ...JSON.parse(plain.toString()) };
};

// src/events/vocabulary/PayloadCheck.ts
import { Either as Either2, ParseResult as ParseResult2, Schema as Schema21 } from "effect";

// src/values/SchemaPredicate.ts
import { Option as Option6, Predicate, Schema as Schema20, SchemaAST } from "effect";
var is = (schema2) => {
  const fits = predicateOf(SchemaAST.typeAST(schema2.ast));
  return (value2) => fits(value2);
};
var predicateOf = (ast) => {
  if (Option6.isSome(SchemaAST.getParseOptionsAnnotation(ast))) return asEffectSays(ast);
  switch (ast._tag) {
    case "StringKeyword":
      return Predicate.isString;
    case "NumberKeyword":
      return Predicate.isNumber;
    case "BooleanKeyword":
      return Predicate.isBoolean;
    case "UnknownKeyword":
    case "AnyKeyword":
      return () => true;
    case "Literal":
      return (value2) => value2 === ast.literal;
    case "Union":
      return oneOf2(ast.types);
    case "Refinement":
      return refined(ast);
    case "Suspend":
      return suspended3(ast);
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? listOf2(ast) : asEffectSays(ast);
    case "TypeLiteral":
      if (ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0) return struct2(ast);
      return ast.propertySignatures.length === 0 && ast.indexSignatures.length === 1 ? record(ast) : asEffectSays(ast);
    default:
      return asEffectSays(ast);
  }
};
var asEffectSays = (ast) => Schema20.is(Schema20.make(ast));
var oneOf2 = (types) => {
  const members = types.map(predicateOf);
  return (value2) => {
    for (const fits of members) if (fits(value2)) return true;
    return false;
  };
};
var refined = (ast) => {
  const fits = predicateOf(ast.from);
  return (value2) => fits(value2) && Option6.isNone(ast.filter(value2, EXACT, ast));
};
var EXACT = { exact: true };
var suspended3 = (ast) => {
  let compiled;
  return (value2) => {
    compiled ??= predicateOf(SchemaAST.typeAST(ast.f()));
    return compiled(value2);
  };
};
var listOf2 = ({ rest: [item] }) => {
  const fits = item === void 0 ? () => true : predicateOf(item.type);
  return (value2) => {
    if (!Array.isArray(value2)) return false;
    for (let index = 0; index < value2.length; index++) if (!fits(value2[index])) return false;
    return true;
  };
};
var struct2 = ({ propertySignatures }) => {
  const properties = propertySignatures.map(({ name, type, isOptional }) => ({
    ...{ name, isOptional },
    fits: predicateOf(type)
  }));
  return (value2) => {
    if (!Predicate.isRecord(value2)) return false;
    for (const { name, isOptional, fits } of properties) {
      if (Object.hasOwn(value2, name) ? !fits(value2[name]) : !isOptional) return false;
    }
    return true;
  };
};
var record = (ast) => {
  const [signature] = ast.indexSignatures;
  if (signature === void 0 || SchemaAST.isSymbolKeyword(signature.parameter)) return asEffectSays(ast);
  const [isKey, fits] = [predicateOf(signature.parameter), predicateOf(signature.type)];
  return (value2) => {
    if (!Predicate.isRecord(value2)) return false;
    for (const key of Object.keys(value2)) if (isKey(key) && !fits(value2[key])) return false;
    return true;
  };
};

// src/events/vocabulary/PayloadCheck.ts
var payloadCheck = (schema2) => {
  const fits = is(schema2);
  const explain = Schema21.validateEither(schema2, { errors: "all" });
  return (payload) => {
    if (fits(payload)) return void 0;
    const result = explain(payload);
    if (Either2.isRight(result)) return void 0;
    return ParseResult2.ArrayFormatter.formatErrorSync(result.left).map((issue) => `payload/${issue.path.join("/")}: ${issue.message}`).join("; ");
  };
};

// src/events/append/AppendValidation.ts
var MAX_EVENTS_PER_APPEND = 1e4;
var MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;
var MAX_NAME_LENGTH = 512;
var make39 = (vocabulary, keys6) => {
  const checks = new Map([...vocabulary.types.values()].map((type) => [type.name, payloadCheck(type.payload)]));
  const validate3 = (request2) => {
    const refuse = (index, reason2) => Either3.left(
      new InvalidEvent({ stream: typeof request2?.stream === "string" ? request2.stream : "", index, reason: reason2 })
    );
    if (!isObject4(request2)) return refuse(null, `expected a request, found ${describe2(request2)}`);
    const now = Date.now();
    if (!isClockTime(now)) return refuse(null, `${IMPOSSIBLE_CLOCK}, found ${iso(now)}`);
    const badName = checkName("timeline", request2.timeline ?? MAIN) ?? checkName("stream", request2.stream) ?? checkName("actor", request2.actor) ?? (request2.taskId == null ? void 0 : checkName("taskId", request2.taskId)) ?? (request2.subject === void 0 ? void 0 : checkName("subject", request2.subject)) ?? (request2.fence === void 0 ? void 0 : checkFence(request2.fence));
    if (badName !== void 0) return refuse(null, badName);
    const badExpectation = checkExpected(request2.expected);
    if (badExpectation !== void 0) return refuse(null, badExpectation);
    if (!Array.isArray(request2.events))
      return refuse(null, `events: expected a list of events, found ${describe2(request2.events)}`);
    if (request2.events.length === 0) return refuse(null, "expected at least one event, found none");
    if (request2.events.length > MAX_EVENTS_PER_APPEND) {
      return refuse(null, `expected at most ${MAX_EVENTS_PER_APPEND} events, found ${request2.events.length}`);
    }
    const nonEvent = request2.events.findIndex((event) => !isObject4(event));
    if (nonEvent >= 0) return refuse(nonEvent, `expected an event, found ${describe2(request2.events[nonEvent])}`);
    const types = request2.events.map(({ type }) => vocabulary.types.get(type));
    let key;
    if (request2.subject !== void 0) {
      if (!types.some((type) => type !== void 0 && Object.keys(type.personal).length > 0)) {
        return refuse(null, "subject: expected an event whose type declares personal fields, found none; leave it out");
      }
      key = keys6.of(request2.subject);
      if (key === void 0) return refuse(null, KEY_DESTROYED);
    }
    const events = [];
    const givenIds = /* @__PURE__ */ new Set();
    let synced = false;
    for (const [index, event] of request2.events.entries()) {
      const type = types[index];
      const check3 = checks.get(event.type);
      if (type === void 0 || check3 === void 0) {
        return refuse(index, `${describe2(event.type)} is not in this log's vocabulary; add it with Vocabulary.extend`);
      }
      const validated = validateEvent(event, type, check3, key, request2.newIds === true);
      if (typeof validated === "string") return refuse(index, `${event.type}: ${validated}`);
      if (validated.idGiven) {
        if (givenIds.has(validated.id)) return refuse(index, `id: ${validated.id} is given to two events of one append`);
        givenIds.add(validated.id);
      }
      events.push(validated);
      synced ||= type.synced;
    }
    if (request2.with !== void 0 && !Array.isArray(request2.with))
      return refuse(null, `with: expected a list of appends, found ${describe2(request2.with)}`);
    const notPart = request2.with?.find((part) => !isObject4(part));
    if (notPart !== void 0) return refuse(null, `with: expected an append, found ${describe2(notPart)}`);
    const parts3 = validateParts(request2.with, request2.timeline, validate3);
    if (Either3.isLeft(parts3)) return Either3.left(parts3.left);
    for (const { id, idGiven } of parts3.right.flatMap(({ events: events2 }) => events2)) {
      if (idGiven && givenIds.has(id)) return refuse(null, `id: ${id} is given to two events of one append`);
      if (idGiven) givenIds.add(id);
    }
    return Either3.right({
      timeline: request2.timeline ?? MAIN,
      stream: request2.stream,
      taskId: request2.taskId ?? null,
      actor: request2.actor,
      expected: request2.expected ?? null,
      fence: request2.fence === void 0 ? null : { timeline: MAIN, ...request2.fence },
      events,
      with: parts3.right,
      synced: synced || parts3.right.some((part) => part.synced)
    });
  };
  return validate3;
};
var validateParts = (parts3, timeline, validate3) => parts3 === void 0 ? NO_PARTS : Either3.all(
  parts3.map(
    ({ stream: stream2, taskId = null, actor, events, timeline: own = timeline }) => validate3({ stream: stream2, actor, events, taskId, ...own === void 0 ? {} : { timeline: own } })
  )
);
var NO_PARTS = Either3.right([]);
var IMPOSSIBLE_CLOCK = "this machine's clock is impossible, set it: expected a time from 1970 to 9999";
var KEY_DESTROYED = "subject: its key was destroyed, and the event that records it was not appended yet; finish it by shredding the subject again";
var validateEvent = (event, type, check3, key, isNew) => {
  const bad = findNonJson(event.payload);
  if (bad !== void 0) return `payload${bad.path}: expected JSON, found ${bad.found}`;
  const mistake = check3(event.payload);
  if (mistake !== void 0) return mistake;
  if ("schemaVersion" in event && event.schemaVersion !== void 0 && event.schemaVersion !== type.version) {
    return `schemaVersion: expected ${type.version}, found ${event.schemaVersion}`;
  }
  if (event.id !== void 0 && !isEventId(event.id))
    return `id: expected a UUID in lower case, found ${describe2(event.id)}`;
  if (event.causationId != null && !isEventId(event.causationId)) {
    return `causationId: expected the id of an event, found ${describe2(event.causationId)}`;
  }
  if (event.occurredAt !== void 0 && !isMoment(event.occurredAt)) {
    return `occurredAt: expected whole milliseconds since 1970, from the year 0 to 9999, found ${describe2(event.occurredAt)}`;
  }
  const text = JSON.stringify(event.payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) return `payload: expected at most ${MAX_PAYLOAD_BYTES} bytes, found ${bytes}`;
  const id = event.id ?? newId();
  const encrypted = key === void 0 ? void 0 : encryptPersonal(key, id, event.payload, type);
  const whole = encrypted?.text ?? text;
  const blob = blobOf(whole);
  return {
    id,
    idGiven: event.id !== void 0 && !isNew,
    type: type.name,
    schemaVersion: type.version,
    causationId: event.causationId ?? null,
    occurredAt: event.occurredAt ?? null,
    // Parsed from the text, so that later changes of the caller's object do not reach the event.
    payload: JSON.parse(text),
    text,
    stored: blob === null ? whole : nameOf(blob),
    blob,
    encrypted: encrypted === void 0 || key === void 0 ? null : { keyId: key.id, textWithoutKey: JSON.stringify(encrypted.open) }
  };
};
var encryptPersonal = (key, id, payload, { personal }) => {
  const present = Object.entries(personal).filter(([field3]) => Object.hasOwn(payload, field3));
  return present.length === 0 ? void 0 : encryptPayload(key, id, payload, Object.fromEntries(present));
};
var checkFence = (fence) => {
  if (!isObject4(fence)) return `fence: expected a stream and its version, found ${describe2(fence)}`;
  const { timeline = MAIN, stream: stream2, version } = fence;
  return checkName("fence/timeline", timeline) ?? checkName("fence/stream", stream2) ?? (Number.isSafeInteger(version) && version >= 0 ? void 0 : `fence/version: expected a stream's version (0, 1, 2 \u2026), found ${describe2(version)}`);
};
var isObject4 = (value2) => typeof value2 === "object" && value2 !== null && !Array.isArray(value2);
var describe2 = (value2) => {
  if (typeof value2 === "string") return JSON.stringify(value2);
  if (Array.isArray(value2)) return "a list";
  return typeof value2 === "object" && value2 !== null ? "an object" : String(value2);
};
var checkExpected = (expected) => {
  if (expected === void 0 || expected === null) return void 0;
  switch (expected._tag) {
    case "Any":
    case "NoStream":
    case "Exists":
      return void 0;
    case "Exact":
      return Number.isSafeInteger(expected.version) && expected.version >= 0 ? void 0 : `expected: expected a version, 0 or more, found ${describe2(expected.version)}`;
    default:
      return `expected: expected Any, NoStream, Exists or Exact(version), found ${describe2(expected)}`;
  }
};
var checkName = (what, name) => {
  if (typeof name !== "string" || name === "") return `${what}: expected a name, found ${describe2(name)}`;
  if (name.length > MAX_NAME_LENGTH)
    return `${what}: expected at most ${MAX_NAME_LENGTH} characters, found ${name.length}`;
  if (!name.isWellFormed() || name.includes("\0"))
    return `${what}: expected plain text, found control or broken characters`;
  return void 0;
};

// src/events/append/Writer.ts
import { Cause, Effect as Effect7, Either as Either4, FiberRef, RuntimeFlags } from "effect";
var MAX_PENDING = 4096;
var MAX_APPENDS_PER_COMMIT = 1024;
var make40 = (name, validate3, commit, flush2) => {
  let pending3 = [];
  let overflow = [];
  let scheduled = false;
  let closed = false;
  let flushing = 0;
  let flushed;
  const schedule2 = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(commitNext);
  };
  const commitNext = () => {
    scheduled = false;
    const batch = pending3.slice(0, MAX_APPENDS_PER_COMMIT);
    pending3 = pending3.slice(batch.length);
    const stillWaiting = batch.filter(isWaiting);
    if (stillWaiting.length > 0) commitAndResume(stillWaiting);
    if (overflow.length > 0) admitOverflow();
    if (pending3.length > 0 || overflow.length > 0) schedule2();
  };
  const commitAndResume = (batch) => {
    const answers = commitAll(batch);
    for (const [index, { resume: resume2 }] of batch.entries())
      if (hasFailed(answers[index])) resume2(answers[index] ?? UNANSWERED);
    for (const [index, { resume: resume2, request: request2 }] of batch.entries()) {
      const answer = answers[index] ?? UNANSWERED;
      if (hasFailed(answer)) continue;
      if (flush2 === void 0 || !request2.synced) resume2(answer);
      else afterFlush(flush2, resume2, answer);
    }
  };
  const afterFlush = (flush3, resume2, answer) => {
    flushing += 1;
    flush3((failure) => {
      flushing -= 1;
      resume2(failure === void 0 ? answer : Effect7.fail(failure));
      if (flushing === 0) flushed?.();
    });
  };
  const commitAll = (batch) => {
    try {
      const committed = commit(batch.map(({ request: request2 }) => request2));
      return Either4.isLeft(committed) ? batch.map(() => Either4.left(committed.left)) : committed.right;
    } catch (defect) {
      return batch.map(() => Effect7.die(defect));
    }
  };
  const admitOverflow = () => {
    const admitted = overflow.slice(0, MAX_PENDING - pending3.length);
    overflow = overflow.slice(admitted.length);
    for (const { request: request2, ...caller } of admitted.filter(isWaiting)) enqueue(request2, caller);
  };
  const enqueue = (request2, caller) => {
    try {
      const admitted = validate3(request2);
      if (Either4.isLeft(admitted)) caller.resume(Effect7.fail(admitted.left));
      else pending3.push({ ...caller, request: admitted.right });
    } catch (defect) {
      caller.resume(Effect7.die(defect));
    }
  };
  const close2 = () => {
    closed = true;
    while (pending3.length > 0 || overflow.length > 0) commitNext();
  };
  const allFlushed = Effect7.async((resume2) => {
    flushed = () => resume2(Effect7.void);
    if (flushing === 0) flushed();
  });
  const append5 = (request2) => Effect7.withFiberRuntime((fiber, { runtimeFlags: runtimeFlags2 }) => {
    if (closed) return Effect7.fail(new LogUnavailable({ log: name, reason: "it was closed" }));
    const interruptibleFiber = RuntimeFlags.interruptible(runtimeFlags2) ? fiber : void 0;
    if (pending3.length >= MAX_PENDING || overflow.length > 0) {
      return Effect7.async((resume2) => {
        overflow.push({ request: request2, resume: resume2, fiber: interruptibleFiber });
      });
    }
    const admitted = validate3(request2);
    if (Either4.isLeft(admitted)) return Effect7.fail(admitted.left);
    return Effect7.async((resume2) => {
      pending3.push({ request: admitted.right, resume: resume2, fiber: interruptibleFiber });
      schedule2();
    });
  });
  return Effect7.as(
    Effect7.addFinalizer(() => Effect7.zipRight(Effect7.sync(close2), allFlushed)),
    append5
  );
};
var hasFailed = (result) => result !== void 0 && Either4.isEither(result) && Either4.isLeft(result);
var isWaiting = ({ fiber }) => fiber === void 0 || Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause));
var UNANSWERED = Effect7.dieMessage("the commit left an append unanswered");

// src/events/log/Lease.ts
import { Context as Context2, Data as Data6 } from "effect";
var LeaseHeld = class extends Data6.TaggedError("LeaseHeld") {
  get message() {
    const { owner, host, pid, acquiredAt } = this.holder;
    return `${this.log}: expected no kernel at work, found "${owner}" (process ${pid} on ${host}, since ${iso(acquiredAt)}). One kernel at a time acts on a log: stop that one, or use another log. Reading and confirming need no lease.`;
  }
};
var Lease = class extends Context2.Tag("hindcast/Lease")() {
};

// src/events/log/Snapshots.ts
import { Context as Context3 } from "effect";
var Snapshots = class extends Context3.Tag("hindcast/Snapshots")() {
};
var MAX_SERIES_OF_PROJECTION = 2;
var MAX_SERIES = 64;
var seriesToDelete = (series) => {
  const kept = /* @__PURE__ */ new Map();
  return series.filter(({ projection }, index) => {
    const others = kept.get(projection) ?? 0;
    kept.set(projection, others + 1);
    return index >= MAX_SERIES || others >= MAX_SERIES_OF_PROJECTION;
  });
};
var upcastVersionsOf = (vocabulary) => [...vocabulary.types.values()].filter(({ version }) => version > 1).map(({ name, version }) => `${name}@${version}`).sort().join(" ");

// src/events/maintenance/Archive.ts
import { Context as Context4, Data as Data7 } from "effect";
var NotArchived = class extends Data7.TaggedError("NotArchived") {
  get message() {
    return `${this.log}: expected ${this.expected}, found ${this.found}. Nothing was archived.`;
  }
};
var ArchiveOptions = of5({
  required: { until: wholeNumber(0), actor: Name },
  optional: { onProgress: callable() }
});
var Archive = class extends Context4.Tag("hindcast/Archive")() {
};

// src/events/maintenance/Bundles.ts
import { Context as Context5, Data as Data8 } from "effect";
var NotBundled = class extends Data8.TaggedError("NotBundled") {
  get message() {
    return `${this.log}: expected ${this.expected}, found ${this.found}. Nothing was written.`;
  }
};
var BundleOptions = of5({ required: { taskId: Text, file: Path } });
var Bundles = class extends Context5.Tag("hindcast/Bundles")() {
};

// src/events/memory/MemoryLease.ts
import { Effect as Effect8 } from "effect";
var make41 = (log4) => {
  let holder;
  return {
    holder: Effect8.sync(() => holder),
    silent: Effect8.succeed(void 0),
    acquire: (owner) => Effect8.acquireRelease(
      Effect8.suspend(() => {
        if (holder !== void 0) return new LeaseHeld({ log: log4, holder });
        const now = Date.now();
        holder = { owner, host: "this program", pid: process.pid, acquiredAt: now, heartbeatAt: now };
        return Effect8.succeed({ check: Effect8.void, held: Effect8.void, takenFrom: null });
      }),
      () => Effect8.sync(() => {
        holder = void 0;
      })
    )
  };
};

// src/events/payload/PersonalData.ts
import { Context as Context6, Data as Data9, Effect as Effect9, Option as Option7, Schedule } from "effect";
var NoSuchSubject = class extends Data9.TaggedError("NoSuchSubject") {
  get message() {
    return `No key of subject "${this.subject}" is in ${this.keys}: expected one whose events were appended with this subject, found none. It may have been shredded already; the log's PayloadShredded events say so.`;
  }
};
var PersonalData = class extends Context6.Tag("hindcast/PersonalData")() {
};
var RETRY_WHILE_BUSY = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(100));
var make42 = ({ log: log4, keys: keys6, snapshots: snapshots2, attempt: attempt3 }) => ({
  // Reading needs no disk space.
  subjects: Effect9.catchTag(
    attempt3(() => keys6.subjects()),
    "DiskFull",
    (error2) => Effect9.die(error2)
  ),
  shred: ({ subject, reason: reason2, actor }) => Effect9.gen(function* () {
    const destroyed = yield* attempt3(() => keys6.destroy(subject));
    if (destroyed === void 0) return yield* new NoSuchSubject({ subject, keys: keys6.name });
    const { keyId, eventId } = destroyed;
    yield* Effect9.retry(snapshots2.drop, { while: ({ _tag }) => _tag === "LogBusy", schedule: RETRY_WHILE_BUSY });
    const event = yield* log4.append({
      stream: `key/${keyId}`,
      actor,
      events: [{ id: eventId, type: "PayloadShredded", payload: { keyId, reason: reason2 } }]
    }).pipe(
      Effect9.map(({ events }) => events[0]),
      // An earlier call that was not completed recorded it, with other words.
      Effect9.catchTag("IdReused", () => Effect9.map(log4.find(eventId), Option7.getOrUndefined))
    );
    yield* attempt3(() => keys6.settle(keyId));
    return event ?? (yield* Effect9.dieMessage("an append answered without events"));
  })
});

// src/events/payload/PersonalDataKeys.ts
import * as crypto4 from "node:crypto";
var SECRET_BYTES = 32;
var newKey = () => ({ id: newId(), secret: crypto4.randomBytes(SECRET_BYTES) });
var memory = () => {
  const bySubject = /* @__PURE__ */ new Map();
  const destroyed = /* @__PURE__ */ new Map();
  let ofSnapshots;
  return {
    name: "memory",
    of: (subject) => {
      if (destroyed.has(subject)) return void 0;
      const known = bySubject.get(subject);
      if (known !== void 0) return known;
      ofSnapshots ??= newKey();
      const made = { ...newKey(), since: Date.now() };
      bySubject.set(subject, made);
      return made;
    },
    find: (id) => [...bySubject.values()].find((key) => key.id === id),
    subjects: () => [
      ...[...bySubject].map(([subject, { id, since }]) => ({ subject, keyId: id, since, shredding: false })),
      ...[...destroyed].map(([subject, { keyId, since }]) => ({ subject, keyId, since, shredding: true }))
    ],
    destroy: (subject) => {
      const key = bySubject.get(subject);
      if (key !== void 0) {
        bySubject.delete(subject);
        destroyed.set(subject, { keyId: key.id, eventId: newId(), since: key.since });
        ofSnapshots = newKey();
      }
      return destroyed.get(subject);
    },
    settle: (keyId) => {
      for (const [subject, { keyId: id }] of destroyed) if (id === keyId) destroyed.delete(subject);
    },
    ofSnapshots: () => ofSnapshots
  };
};

// src/events/read/CommitNotifier.ts
import { Effect as Effect10 } from "effect";
var make43 = () => {
  const subscribers = /* @__PURE__ */ new Set();
  return {
    notify: () => {
      for (const onCommit of subscribers) onCommit();
    },
    subscribe: () => {
      let isCommitted = false;
      let resumeWaiting;
      const onCommit = () => {
        isCommitted = true;
        resumeWaiting?.();
      };
      subscribers.add(onCommit);
      return {
        committed: Effect10.async((resume2) => {
          if (isCommitted) resume2(Effect10.void);
          else resumeWaiting = () => resume2(Effect10.void);
        }),
        unsubscribe: () => {
          subscribers.delete(onCommit);
        }
      };
    }
  };
};

// src/events/read/Follow.ts
import { Chunk as Chunk2, Effect as Effect13, Option as Option9, Stream as Stream3 } from "effect";

// src/platform/yieldToEventLoop.ts
import { Effect as Effect11 } from "effect";
var yieldToEventLoop = Effect11.async((resume2) => {
  const immediate = setImmediate(() => resume2(Effect11.void));
  return Effect11.sync(() => clearImmediate(immediate));
});

// src/events/read/Pages.ts
import { Chunk, Effect as Effect12, Option as Option8, Stream as Stream2 } from "effect";

// src/events/read/QueryValidation.ts
var invalidQuery = (query, limit = 1) => {
  const reason2 = flawIn(query) ?? flawInLimit(limit);
  return reason2 === void 0 ? void 0 : new InvalidQuery({ reason: reason2 });
};
var flawIn = (query) => {
  if (typeof query !== "object" || query === null) return `expected a query, found ${describe3(query)}`;
  for (const [field3, value2] of Object.entries(query)) {
    const check3 = FIELDS[field3];
    if (check3 === void 0) return `expected ${Object.keys(FIELDS).join(", ")}, found ${describe3(field3)}`;
    if (value2 === void 0) continue;
    const expected = check3(value2);
    if (expected !== void 0) return `${field3}: expected ${expected}, found ${describe3(value2)}`;
  }
  return void 0;
};
var flawInLimit = (limit) => Number.isSafeInteger(limit) && limit >= 1 ? void 0 : `limit: expected a whole number of events, 1 or more, found ${describe3(limit)}`;
var isPosition = (value2) => Number.isSafeInteger(value2) && Number(value2) >= 0 ? void 0 : "a position, or 0";
var isName = (value2) => typeof value2 === "string" ? void 0 : "a name";
var isNames = (value2) => Array.isArray(value2) && value2.every((name) => typeof name === "string") ? void 0 : "a list of names";
var FIELDS = {
  after: isPosition,
  until: isPosition,
  timeline: isName,
  stream: isName,
  afterVersion: (value2) => isPosition(value2) === void 0 ? void 0 : "a version, or 0",
  taskId: (value2) => value2 === null ? void 0 : isName(value2),
  types: isNames
};
var describe3 = (value2) => {
  if (typeof value2 === "string") return JSON.stringify(value2);
  return typeof value2 === "object" && value2 !== null ? "an object" : String(value2);
};

// src/events/read/Pages.ts
var PAGE_SIZE = 1e3;
var FIRST_PAGE = 64;
var checked = (readPage2) => (query, limit) => {
  const flaw2 = invalidQuery(query, limit);
  return flaw2 === void 0 ? readPage2(query, limit) : Effect12.fail(flaw2);
};
var stream = (readPage2, query) => {
  const flaw2 = invalidQuery(query);
  return flaw2 === void 0 ? pages(readPage2, query) : Stream2.fail(flaw2);
};
var pages = (readPage2, query) => Stream2.paginateChunkEffect(
  { after: query.after ?? 0, size: FIRST_PAGE },
  ({ after: after4, size: size9 }) => Effect12.gen(function* () {
    const page = yield* readPage2({ ...query, after: after4 }, size9);
    const last3 = page.length === size9 ? page.at(-1) : void 0;
    if (last3 !== void 0) yield* yieldToEventLoop;
    const next = last3 && { after: last3.position, size: Math.min(2 * size9, PAGE_SIZE) };
    return [Chunk.unsafeFromArray(page), Option8.fromNullable(next)];
  })
);

// src/events/read/Follow.ts
var follow = (source2, query) => Stream3.paginateChunkEffect(
  { after: query.after ?? 0, caughtUp: false },
  ({ after: after4, caughtUp }) => Effect13.gen(function* () {
    const head5 = yield* caughtUp ? newHead(source2, after4) : source2.head;
    const page = yield* source2.readPage({ ...query, after: after4, until: head5.position }, PAGE_SIZE);
    const full = page.length === PAGE_SIZE;
    if (full) yield* yieldToEventLoop;
    const next = full ? page.at(-1)?.position ?? after4 : Math.max(after4, head5.position);
    const emitted = [...page];
    if (!full && !caughtUp) emitted.push(new CaughtUp({ position: next }));
    return [Chunk2.unsafeFromArray(emitted), Option9.some({ after: next, caughtUp: caughtUp || !full })];
  })
);
var newHead = (source2, after4) => Effect13.repeat(awaitHead(source2, after4), { until: (head5) => head5.position > after4 });
var awaitHead = ({ head: head5, commits, pollEvery }, after4) => Effect13.acquireUseRelease(
  // The subscription begins before the head is read, so that no commit is missed in between.
  Effect13.sync(() => commits.subscribe()),
  ({ committed }) => Effect13.tap(head5, ({ position }) => {
    if (position > after4) return Effect13.void;
    return pollEvery === void 0 ? committed : Effect13.raceFirst(committed, Effect13.sleep(pollEvery));
  }),
  ({ unsubscribe }) => Effect13.sync(unsubscribe)
);

// src/events/read/Records.ts
import { Context as Context7 } from "effect";
var Records = class extends Context7.Tag("hindcast/Records")() {
};

// src/events/vocabulary/Upcaster.ts
var chain = (types, upcasters) => {
  const problems = problemsIn(types, upcasters);
  if (problems.length > 0) throw new Error(`The upcasters do not fit the vocabulary:
  - ${problems.join("\n  - ")}`);
  const steps = new Map(upcasters.map(({ type, from, upcast }) => [stepOf(type, from), upcast]));
  return (type, schemaVersion, payload) => {
    let upcast = payload;
    const present = types.get(type)?.version ?? schemaVersion;
    for (let version = schemaVersion; version < present; version++) {
      const step4 = steps.get(stepOf(type, version));
      if (step4 === void 0) throw new Error(`no upcaster takes ${type} from version ${version}`);
      upcast = step4(upcast);
    }
    return upcast;
  };
};
var stepOf = (type, from) => `${type}\0${from}`;
var problemsIn = (types, upcasters) => {
  const problems = [];
  const seen = /* @__PURE__ */ new Set();
  for (const { type, from } of upcasters) {
    const present = types.get(type)?.version;
    const step4 = `from version ${from} to ${from + 1}`;
    if (seen.has(stepOf(type, from))) problems.push(`${type} has two upcasters ${step4}; expected one`);
    seen.add(stepOf(type, from));
    if (present === void 0) problems.push(`${type} is not in the vocabulary, yet has an upcaster ${step4}`);
    else if (!Number.isInteger(from) || from < 1 || from >= present) {
      problems.push(`${type} is at version ${present}, yet has an upcaster ${step4}`);
    }
  }
  for (const { name, version } of types.values()) {
    for (let from = 1; from < version; from++) {
      if (!seen.has(stepOf(name, from))) problems.push(`${name} has no upcaster from version ${from} to ${from + 1}`);
    }
  }
  return problems;
};

// src/events/sqlite/append.ts
import { Either as Either7 } from "effect";

// src/events/append/Sequencer.ts
import canonicalize2 from "canonicalize";
import { Either as Either5 } from "effect";

// src/events/integrity/Chain.ts
import * as crypto5 from "node:crypto";
var GENESIS = "0".repeat(64);
var link = (previous, event, payload, keyId = null) => crypto5.hash(
  "sha256",
  previous + ascii(String(event.position)) + ascii(event.id) + field2(event.timeline) + field2(event.stream) + ascii(String(event.version)) + field2(event.type) + ascii(String(event.schemaVersion)) + field2(event.taskId) + ascii(event.causationId) + field2(event.actor) + ascii(String(event.occurredAt)) + ascii(String(event.recordedAt)) + field2(keyId) + field2(payload),
  "hex"
);
var field2 = (text) => text === null ? ABSENT : `${Buffer.byteLength(text)}:${text}`;
var ascii = (text) => text === null ? ABSENT : `${text.length}:${text}`;
var ABSENT = "-:";

// src/events/append/Sequencer.ts
var streamKey = (timeline, stream2) => `${timeline}\0${stream2}`;
var sequence = (log4, requests, now) => {
  const rows = [];
  const validatedEvents = [];
  const versions2 = /* @__PURE__ */ new Map();
  const placedIds = /* @__PURE__ */ new Map();
  let head5 = log4.head;
  const find4 = (id) => placedIds.get(id) ?? log4.find(id);
  const place = (request2) => {
    const earlier = findEarlier(request2, find4) ?? reusedIn(request2.with, find4);
    if (earlier !== void 0) return earlier;
    const { fence, expected } = request2;
    if (fence !== null) {
      const actual = versions2.get(streamKey(fence.timeline, fence.stream)) ?? log4.version(fence.timeline, fence.stream);
      if (actual !== fence.version) return { kind: "conflict", on: fence, expected: Exact(fence.version), actual };
    }
    const version = versionOf(request2);
    if (expected !== null && !meets(expected, version)) {
      return { kind: "conflict", on: request2, expected, actual: version };
    }
    const events = placeEvents(request2);
    for (const part of request2.with) placeEvents(part);
    return { kind: "placed", events };
  };
  const versionOf = ({ timeline, stream: stream2 }) => versions2.get(streamKey(timeline, stream2)) ?? log4.version(timeline, stream2);
  const placeEvents = (part) => {
    let version = versionOf(part);
    const events = [];
    for (const validated of part.events) {
      version += 1;
      const event = envelope(part, validated, head5, version, now);
      head5 = { position: event.position, hash: event.hash };
      events.push(event);
      rows.push(event);
      validatedEvents.push(validated);
      if (validated.idGiven) placedIds.set(event.id, event);
    }
    versions2.set(streamKey(part.timeline, part.stream), version);
    return events;
  };
  const placements = requests.map(place);
  return { rows, validated: validatedEvents, placements, head: head5, versions: versions2 };
};
var meets = (expected, version) => {
  switch (expected._tag) {
    case "Any":
      return true;
    case "NoStream":
      return version === 0;
    case "Exists":
      return version > 0;
    case "Exact":
      return version === expected.version;
  }
};
var envelope = (request2, validated, head5, version, now) => {
  const event = {
    position: head5.position + 1,
    id: validated.id,
    timeline: request2.timeline,
    stream: request2.stream,
    version,
    type: validated.type,
    schemaVersion: validated.schemaVersion,
    taskId: request2.taskId,
    causationId: validated.causationId,
    actor: request2.actor,
    occurredAt: validated.occurredAt ?? now,
    recordedAt: now,
    payload: validated.payload,
    hash: ""
  };
  const keyId = validated.encrypted?.keyId ?? null;
  event.hash = link(head5.hash, event, validated.stored, keyId);
  return keyId === null ? event : { ...event, personal: { keyId, readable: true } };
};
var findEarlier = (request2, find4) => {
  if (!request2.events.some(({ idGiven }) => idGiven)) return void 0;
  const earlier = request2.events.map((event) => event.idGiven ? find4(event.id) : void 0);
  const known = earlier.filter((event) => event !== void 0);
  const [first2] = known;
  if (first2 === void 0) return void 0;
  for (const [index, event] of earlier.entries()) {
    const validated = request2.events[index];
    if (event === void 0 || validated === void 0) continue;
    if (!sameContent(request2, validated, event)) return { kind: "id reused", id: event.id, position: event.position };
  }
  return known.length === request2.events.length ? { kind: "already there", events: known } : { kind: "id reused", id: first2.id, position: first2.position };
};
var reusedIn = (parts3, find4) => {
  if (parts3.length === 0) return void 0;
  for (const { id, idGiven } of parts3.flatMap(({ events }) => events)) {
    const event = idGiven ? find4(id) : void 0;
    if (event !== void 0) return { kind: "id reused", id, position: event.position };
  }
  return void 0;
};
var sameContent = (request2, validated, event) => event.timeline === request2.timeline && event.stream === request2.stream && event.type === validated.type && event.taskId === request2.taskId && event.causationId === validated.causationId && event.actor === request2.actor && (validated.occurredAt === null || event.occurredAt === validated.occurredAt) && isSameJson(JSON.stringify(event.payload), textAsReadable(validated, event));
var isSameJson = (a, b) => a === b || canonicalize2(JSON.parse(a)) === canonicalize2(JSON.parse(b));
var textAsReadable = ({ text, encrypted }, { personal }) => personal?.readable === false && encrypted !== null ? encrypted.textWithoutKey : text;
var MAX_MISSED = 1e3;
var readingOnce = (read5) => {
  const known = /* @__PURE__ */ new Map();
  return (query, limit) => {
    const key = JSON.stringify([query, limit]);
    const before2 = known.get(key);
    if (before2 !== void 0) return structuredClone(before2);
    const events = read5(query, limit);
    known.set(key, events);
    return events;
  };
};
var toResult = (placement, read5) => {
  switch (placement?.kind) {
    case void 0:
      throw new Error("a request of the batch was not placed");
    case "placed":
    case "already there": {
      const { events } = placement;
      const last3 = events.at(-1);
      if (last3 === void 0) throw new Error("an append was placed without events");
      return Either5.right({ position: last3.position, version: last3.version, events });
    }
    case "conflict": {
      const { on, expected, actual } = placement;
      const { timeline, stream: stream2 } = on;
      const afterVersion = expected._tag === "Exact" ? expected.version : 0;
      const count = Math.min(actual - afterVersion, MAX_MISSED);
      const missed = count <= 0 ? [] : read5({ timeline, stream: stream2, afterVersion }, count);
      return Either5.left(new VersionConflict({ stream: stream2, expected, actual, missed }));
    }
    case "id reused":
      return Either5.left(new IdReused({ id: placement.id, position: placement.position }));
  }
};

// src/events/sqlite/file/database.ts
import * as fs10 from "node:fs";
import { Effect as Effect14, Either as Either6 } from "effect";

// src/events/sqlite/driver/betterSqlite3.ts
import * as path3 from "node:path";

// src/platform/Installed.ts
import * as fs5 from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
var requireOf = (module) => createRequire(module ?? __filename);
var resolve2 = (name, module) => {
  const direct = resolveFrom(requireOf(module), name);
  if (direct !== void 0) return direct;
  const hindcast = resolveFrom(requireOf(module), "hindcast/package.json");
  return hindcast === void 0 ? void 0 : resolveFrom(createRequire(hindcast), name);
};
var isInstalled = (module, name) => module !== void 0 && [".js", ".ts"].some(
  (extension) => module.endsWith(`/${name}${extension}`) && fs5.existsSync(
    fileURLToPath(`${module.slice(0, -`${name}${extension}`.length)}plugins/runner/runner${extension}`)
  )
);
var resolveFrom = (require2, name) => {
  try {
    return require2.resolve(name);
  } catch {
    return void 0;
  }
};

// src/events/sqlite/driver/Driver.ts
var IN_MEMORY = ":memory:";
var DRIVER_NAMES = ["node:sqlite", "better-sqlite3"];
var SqliteError = class extends Error {
  name = "SqliteError";
  /** The name of its extended result code, such as `SQLITE_BUSY_SNAPSHOT` (https://sqlite.org/rescode.html). */
  code;
  constructor(code, message) {
    super(message);
    this.code = code;
  }
};
var DriverUnavailable = class extends Error {
  name = "DriverUnavailable";
};
var SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY";
var MAX_STATEMENTS = 200;
var cachingStatements = (prepare) => {
  const statements = /* @__PURE__ */ new Map();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== void 0) return known;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
};

// src/events/sqlite/driver/betterSqlite3.ts
var load = (from = import.meta.url) => {
  const require2 = requireOf(from);
  try {
    const Database = require2(resolve2(NAME2, from) ?? NAME2);
    new Database(IN_MEMORY).close();
    return { name: "better-sqlite3", open: (filename, options) => open4(Database, filename, options) };
  } catch (cause3) {
    throw new DriverUnavailable(adviceOn(cause3), { cause: cause3 });
  }
};
var NAME2 = "better-sqlite3";
var adviceOn = (cause3) => {
  const { code, message } = cause3 instanceof Error ? cause3 : { message: `${cause3}` };
  const { node } = process.versions;
  const needed = `SQLite's driver for Node ${node}, better-sqlite3,`;
  const otherwise = "or use Node 24.15 or later, which has SQLite of its own";
  if (code === "MODULE_NOT_FOUND" && message.includes("'better-sqlite3'")) {
    return `${needed} is not installed, because it was left out or could not be compiled: with a C++ compiler, make and python3 at hand run \`npm install better-sqlite3@12\` (\`pnpm add better-sqlite3@12\`) where Hindcast is installed, ${otherwise}`;
  }
  return `${needed} ${faultOf(code, message)}: run \`npm rebuild better-sqlite3\` (with pnpm: \`pnpm approve-builds\`, then \`pnpm rebuild better-sqlite3\`) where Hindcast is installed, ${otherwise}`;
};
var faultOf = (code, message) => {
  if (code === "ERR_DLOPEN_FAILED") return "was built for another Node or machine";
  if (message.startsWith("Could not locate the bindings file")) return "was not built when Hindcast was installed";
  return `cannot be loaded (${message.split("\n")[0]})`;
};
var open4 = (Database, filename, { readonly, busyTimeoutMs }) => {
  const resolved = filename === IN_MEMORY ? filename : path3.resolve(filename);
  const database = withSqliteErrors(() => new Database(resolved, { readonly, timeout: busyTimeoutMs }));
  const connection2 = {
    prepare: cachingStatements((sql) => prepared(withSqliteErrors(() => database.prepare(sql)))),
    script: (sql) => {
      withSqliteErrors(() => database.exec(sql));
    },
    inTransaction: () => database.inTransaction,
    close: () => {
      database.close();
    }
  };
  connection2.script(SETTINGS);
  return connection2;
};
var prepared = (statement) => {
  if (statement.reader) statement.raw(true);
  return {
    columns: () => statement.reader ? statement.columns().map(({ name }) => name) : [],
    rows: (parameters) => withSqliteErrors(() => {
      if (statement.reader) return statement.all(...parameters);
      statement.run(...parameters);
      return [];
    }),
    run: (parameters) => withSqliteErrors(() => {
      if (!statement.reader) return statement.run(...parameters).changes;
      statement.all(...parameters);
      return 0;
    })
  };
};
var withSqliteErrors = (run) => {
  try {
    return run();
  } catch (cause3) {
    throw sqliteErrorOf(cause3);
  }
};
var sqliteErrorOf = (cause3) => {
  if (!(cause3 instanceof Error)) return cause3;
  if (cause3.message === NO_DIRECTORY) return new SqliteError("SQLITE_CANTOPEN", "unable to open database file");
  const { code } = cause3;
  return code?.startsWith("SQLITE_") ? new SqliteError(code, cause3.message) : cause3;
};
var NO_DIRECTORY = "Cannot open database because the directory does not exist";

// src/events/sqlite/driver/nodeSqlite.ts
import * as path4 from "node:path";

// src/events/sqlite/driver/resultCodes.ts
var nameOfCode = (code) => {
  const primary = PRIMARY[code & 255];
  if (primary === void 0) return `SQLITE_${code}`;
  const detail = code >> 8;
  const extended = detail === 0 ? void 0 : EXTENDED[primary]?.[detail - 1];
  return `SQLITE_${primary}${extended === void 0 ? "" : `_${extended}`}`;
};
var PRIMARY = "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING".split(
  " "
);
var EXTENDED = {
  ERROR: "MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE".split(" "),
  IOERR: "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC".split(
    " "
  ),
  LOCKED: "SHAREDCACHE VTAB".split(" "),
  BUSY: "RECOVERY SNAPSHOT TIMEOUT".split(" "),
  CANTOPEN: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK".split(" "),
  CORRUPT: "VTAB SEQUENCE INDEX".split(" "),
  READONLY: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY".split(" "),
  ABORT: "- ROLLBACK".split(" "),
  CONSTRAINT: "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE".split(
    " "
  ),
  NOTICE: "RECOVER_WAL RECOVER_ROLLBACK RBU".split(" "),
  WARNING: "AUTOINDEX".split(" "),
  AUTH: "USER".split(" ")
};

// src/events/sqlite/driver/nodeSqlite.ts
var load2 = () => {
  const found = loadQuietly();
  if (!isComplete(found)) return void 0;
  return { name: "node:sqlite", open: (filename, options) => open5(found, filename, options) };
};
var isComplete = (found) => typeof found === "object" && found !== null && "DatabaseSync" in found && "StatementSync" in found && typeof found.StatementSync === "function" && "setReturnArrays" in found.StatementSync.prototype;
var loadQuietly = () => {
  const { emitWarning } = process;
  const emitOthers = (...warning) => {
    if (!String(warning[0]).startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, process, warning);
  };
  process.emitWarning = emitOthers;
  try {
    return process.getBuiltinModule?.("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
};
var open5 = ({ DatabaseSync }, filename, { readonly, busyTimeoutMs }) => {
  const resolved = filename === IN_MEMORY ? filename : path4.resolve(filename);
  const database = withSqliteErrors2(() => new DatabaseSync(resolved, { readOnly: readonly, timeout: busyTimeoutMs }));
  const connection2 = {
    prepare: cachingStatements(
      (sql) => prepared2(
        sql,
        withSqliteErrors2(() => database.prepare(sql))
      )
    ),
    script: (sql) => withSqliteErrors2(() => database.exec(sql)),
    inTransaction: () => database.isTransaction,
    close: () => database.close()
  };
  connection2.script(SETTINGS);
  return connection2;
};
var prepared2 = (sql, statement) => {
  statement.setReturnArrays(true);
  const hasResultRows = withSqliteErrors2(() => statement.columns()).length > 0;
  const changesRows = CHANGES_ROWS.test(sql);
  const roundedRows = (parameters) => {
    statement.setReadBigInts(true);
    try {
      return statement.all(...parameters).map((row) => row.map((value2) => typeof value2 === "bigint" ? Number(value2) : value2));
    } finally {
      statement.setReadBigInts(false);
    }
  };
  const rows = (parameters) => withSqliteErrors2(() => {
    try {
      return statement.all(...parameters);
    } catch (cause3) {
      if (codeOf(cause3) === "ERR_OUT_OF_RANGE" && !changesRows) return roundedRows(parameters);
      throw cause3;
    }
  });
  return {
    columns: () => statement.columns().map(({ name }) => name),
    rows,
    run: (parameters) => {
      if (hasResultRows) rows(parameters);
      const changes = hasResultRows ? 0 : Number(withSqliteErrors2(() => statement.run(...parameters)).changes);
      return changesRows ? changes : 0;
    }
  };
};
var CHANGES_ROWS = /^\s*(?:INSERT|REPLACE|UPDATE|DELETE|WITH)\b/i;
var withSqliteErrors2 = (run) => {
  try {
    return run();
  } catch (cause3) {
    throw sqliteErrorOf2(cause3);
  }
};
var sqliteErrorOf2 = (cause3) => {
  if (!(cause3 instanceof Error)) return cause3;
  if (codeOf(cause3) === "ERR_SQLITE_ERROR" && "errcode" in cause3) {
    return new SqliteError(nameOfCode(Number(cause3.errcode)), cause3.message);
  }
  return codeOf(cause3).startsWith("ERR_INVALID_") ? new TypeError(cause3.message, { cause: cause3 }) : cause3;
};
var codeOf = (cause3) => cause3 instanceof Error && "code" in cause3 && typeof cause3.code === "string" ? cause3.code : "";

// src/events/sqlite/driver/choice.ts
var DRIVER_VARIABLE = "HINDCAST_SQLITE_DRIVER";
var MIN_SQLITE = "3.51.3";
var FIRST_ABORTING_NODE = "24.19.0";
var choose = ({ wanted, node, nodeSqlite }) => {
  const unavailable4 = {
    "node:sqlite": nodeSqlite !== void 0 && !isBefore(nodeSqlite, MIN_SQLITE) ? void 0 : `it needs SQLite ${MIN_SQLITE} or later, and this Node has ${nodeSqlite ?? "none that can be used"}`,
    "better-sqlite3": isBefore(node, FIRST_ABORTING_NODE) ? void 0 : `it needs a Node before ${FIRST_ABORTING_NODE}: from then on it can abort the process`
  };
  if (wanted === void 0) {
    const first2 = DRIVER_NAMES.find((name) => unavailable4[name] === void 0);
    if (first2 !== void 0) return first2;
    const reasons = DRIVER_NAMES.map((name) => `${name}: ${unavailable4[name]}`).join("; ");
    throw new DriverUnavailable(`Node ${node} has no SQLite that can be used (${reasons}); use a Node from nodejs.org`);
  }
  const found = DRIVER_NAMES.find((name) => name === wanted);
  if (found === void 0) {
    const expected = DRIVER_NAMES.map((name) => JSON.stringify(name)).join(" or ");
    throw new DriverUnavailable(`${DRIVER_VARIABLE}: expected ${expected}, or nothing, found ${JSON.stringify(wanted)}`);
  }
  if (unavailable4[found] === void 0) return found;
  throw new DriverUnavailable(
    `${DRIVER_VARIABLE}: ${JSON.stringify(found)} cannot be had on Node ${node}: ${unavailable4[found]}`
  );
};
var isBefore = (version, other) => {
  const [theirs, ours] = [version, other].map((text) => text.split(".").map(Number));
  const difference4 = [0, 1, 2].map((part) => (theirs?.[part] ?? 0) - (ours?.[part] ?? 0)).find((part) => part !== 0);
  return difference4 !== void 0 && difference4 < 0;
};
var chosen;
var driver2 = () => {
  chosen ??= driverFor(process.env[DRIVER_VARIABLE]);
  return chosen;
};
var driverFor = (wanted) => {
  const nodeDriver = load2();
  const name = choose({ wanted, node: process.versions.node, nodeSqlite: nodeDriver && process.versions.sqlite });
  return name === "node:sqlite" && nodeDriver !== void 0 ? nodeDriver : load();
};

// src/events/sqlite/file/diskSpace.ts
import * as fs7 from "node:fs";
import * as path5 from "node:path";

// src/platform/OwnerOnly.ts
import * as fs6 from "node:fs";
var FILE_MODE = 384;
var DIRECTORY_MODE = 448;
var makeFile = (file) => {
  try {
    fs6.closeSync(fs6.openSync(file, "wx", FILE_MODE));
    return true;
  } catch (cause3) {
    if (cause3 instanceof Error && "code" in cause3 && cause3.code === "EEXIST") return false;
    throw cause3;
  }
};
var makeDirectory = (directory) => {
  fs6.mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
};
var isTrusted = (link2) => {
  const user = process.geteuid?.();
  return user === void 0 || link2.uid === user || link2.uid === 0;
};

// src/events/sqlite/file/diskSpace.ts
var isExhausted = (filename) => {
  const trial = path5.join(path5.dirname(filename), `.${path5.basename(filename)}.room-${process.pid}`);
  let file;
  try {
    const length2 = Math.max(sizeOf2(filename), sizeOf2(`${filename}-wal`)) + TRIAL_BYTES;
    file = fs7.openSync(trial, "wx", FILE_MODE);
    fs7.writeFileSync(file, Buffer.alloc(TRIAL_BYTES));
    fs7.writeSync(file, Buffer.alloc(1), 0, 1, length2);
    return false;
  } catch (cause3) {
    return cause3 instanceof Error && "code" in cause3 && DISK_FULL_CODES.has(String(cause3.code));
  } finally {
    if (file !== void 0) {
      fs7.closeSync(file);
      fs7.rmSync(trial, { force: true });
    }
  }
};
var TRIAL_BYTES = 1024 * 1024;
var DISK_FULL_CODES = /* @__PURE__ */ new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
var sizeOf2 = (filename) => fs7.statSync(filename, { throwIfNoEntry: false })?.size ?? 0;

// src/events/sqlite/file/fileIdentity.ts
import * as fs8 from "node:fs";
import * as path6 from "node:path";
var rememberIdentity = (filename, whole, known = { identities: /* @__PURE__ */ new Map(), modifiedAt: void 0 }) => {
  const log4 = fs8.realpathSync(filename);
  const directory = path6.dirname(log4);
  const files = FILES.flatMap(({ suffix, advice }) => {
    const file = log4 + suffix;
    const identity2 = known.identities.get(suffix) ?? identityOf(file);
    if (identity2 === void 0 && whole) throw fileChanged(filename, file, true, advice);
    if (identity2 === void 0) return [];
    known.identities.set(suffix, identity2);
    return [{ file, identity: identity2, advice }];
  });
  let trusted;
  const checkFiles = (seen) => {
    if (seen !== void 0 && trusted !== void 0 && isUnchanged(trusted, seen)) return;
    for (const { file, identity: identity2, advice } of files) {
      const found = identityOf(file);
      if (found !== identity2) throw fileChanged(filename, file, found === void 0, advice);
    }
    trusted = seen !== void 0 && Date.now() - seen.ctimeMs > CLOCK_STEP_MS ? seen : void 0;
  };
  return () => {
    checkFiles(fs8.statSync(directory, { throwIfNoEntry: false }));
    known.modifiedAt = modifiedAt(log4);
  };
};
var modifiedAt = (file) => fs8.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
var targetOf = (filename) => resolveLinks(filename).target;
var resolveLinks = (filename) => {
  const links = [];
  let file = filename;
  while (links.length < MAX_LINKS && isLink(file)) {
    links.push(file);
    file = path6.resolve(fs8.realpathSync(path6.dirname(file)), fs8.readlinkSync(file));
  }
  return { links, target: file };
};
var MAX_LINKS = 40;
var isLink = (file) => fs8.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
var rememberLength = (filename, lengthNow) => {
  const wal = `${fs8.realpathSync(filename)}-wal`;
  let trusted = -1;
  return () => {
    if (sizeOf3(wal) === trusted) return;
    for (let attempt3 = 0; attempt3 < MAX_ATTEMPTS; attempt3++) {
      const { frames: frames2, frameBytes: frameBytes2 } = lengthNow();
      trusted = sizeOf3(wal);
      if (frames2 === 0 || trusted >= WAL_HEADER_BYTES + frames2 * frameBytes2) return;
    }
    const found = trusted;
    trusted = -1;
    const { frames, frameBytes } = lengthNow();
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason: `${path6.basename(wal)} was cut short while the log was open: expected at least ${WAL_HEADER_BYTES + frames * frameBytes} bytes, found ${found}. Nothing more is appended, so that what is left stays as it is; end every process that has the log open`
    });
  };
};
var MAX_ATTEMPTS = 3;
var WAL_HEADER_BYTES = 32;
var FRAME_HEADER_BYTES = 24;
var sizeOf3 = (file) => fs8.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
var isUnchanged = (before2, now) => before2.ctimeMs === now.ctimeMs && before2.ino === now.ino && before2.dev === now.dev;
var CLOCK_STEP_MS = 2e3;
var FILES = [
  { suffix: "", advice: "Put it back, or restore a copy, and open the log again" },
  {
    suffix: "-wal",
    advice: "It held acknowledged events. Open the log in no other process. Let every process that has the log open exit by itself, not by SIGKILL: the last one writes these events into the log"
  },
  {
    suffix: "-shm",
    advice: "Without it, processes do not see one another's events: end this one first, then all others, and open the log again"
  }
];
var identityOf = (file) => {
  const found = fs8.statSync(file, { throwIfNoEntry: false });
  return found === void 0 ? void 0 : `${found.dev}:${found.ino}`;
};
var fileChanged = (log4, file, missing2, advice) => new LogUnavailable({
  log: log4,
  reason: `${path6.basename(file)} was ${missing2 ? "removed or moved" : "replaced by another file"} while the log was open. Nothing more is appended or read until it is back. ${advice}.`
});

// src/events/sqlite/file/openFiles.ts
var logs = /* @__PURE__ */ new Map();
var find3 = (filename) => {
  const identity2 = identityOf(filename);
  return identity2 === void 0 ? void 0 : logs.get(identity2);
};
var add7 = (filename, connection2) => {
  const identity2 = identityOf(filename) ?? `${filename} is gone`;
  const log4 = logs.get(identity2) ?? { known: { identities: /* @__PURE__ */ new Map(), modifiedAt: void 0 }, connections: /* @__PURE__ */ new Set() };
  logs.set(identity2, log4);
  log4.connections.add(connection2);
  return {
    known: log4.known,
    remove: () => {
      log4.connections.delete(connection2);
      if (log4.connections.size === 0 && logs.get(identity2) === log4) logs.delete(identity2);
    }
  };
};

// src/events/sqlite/file/schema.ts
var APPLICATION_ID = 1214477172;
var FORMAT_VERSION = 2;
var PAGE_BYTES = 8192;
var EVENT_TRIGGERS = [
  `CREATE TRIGGER events_in_sequence BEFORE INSERT ON events
    WHEN NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM events)
    BEGIN SELECT RAISE(ABORT, 'events: an event takes the next position'); END`,
  `CREATE TRIGGER events_not_updated BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events: an event is never changed'); END`,
  `CREATE TRIGGER events_not_deleted BEFORE DELETE ON events
    WHEN NOT EXISTS (SELECT 1 FROM segments WHERE OLD.position BETWEEN first AND last)
    BEGIN SELECT RAISE(ABORT, 'events: an event is never deleted'); END`
];
var EVENT_TABLE = [
  `CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    timeline INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    type INTEGER NOT NULL,
    schema_version INTEGER NOT NULL CHECK (schema_version >= 1),
    task INTEGER,
    causation BLOB CHECK (causation IS NULL OR length(causation) = 16),
    actor INTEGER NOT NULL,
    occurred_before INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    key_id INTEGER,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    UNIQUE (stream, timeline, version)
  ) STRICT`,
  "CREATE INDEX events_by_task ON events (task) WHERE task IS NOT NULL",
  "CREATE INDEX events_by_type ON events (type)"
];
var EVENT_INDEXES_AND_TRIGGERS = [
  `CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    last_position INTEGER NOT NULL,
    content TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL CHECK (last >= first),
    file TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    lowest_id BLOB NOT NULL CHECK (length(lowest_id) = 16),
    highest_id BLOB NOT NULL CHECK (length(highest_id) = 16),
    archived_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE archived_streams (
    stream INTEGER NOT NULL,
    timeline INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (stream, timeline)
  ) STRICT, WITHOUT ROWID`,
  ...EVENT_TRIGGERS,
  `CREATE VIEW event_log AS SELECT
      e.position, lower(hex(e.id)) AS id, timeline.text AS timeline, stream.text AS stream, e.version,
      type.text AS type, e.schema_version, task.text AS task, lower(hex(e.causation)) AS causation, actor.text AS actor,
      e.recorded_at - e.occurred_before AS occurred_at, e.recorded_at,
      iif(substr(e.payload, 1, 6) = '"blob:', (SELECT content FROM blobs WHERE digest = substr(e.payload, 7, 64)),
        e.payload) AS payload,
      key.text AS key_id, lower(hex(e.hash)) AS hash
    FROM events e
      LEFT JOIN names timeline ON timeline.id = e.timeline
      LEFT JOIN names stream ON stream.id = e.stream
      LEFT JOIN names type ON type.id = e.type
      LEFT JOIN names task ON task.id = e.task
      LEFT JOIN names actor ON actor.id = e.actor
      LEFT JOIN names key ON key.id = e.key_id`
];
var LOG_TABLES = [
  `CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
  ) STRICT`,
  `CREATE TRIGGER names_not_updated BEFORE UPDATE ON names
    BEGIN SELECT RAISE(ABORT, 'names: a name is never changed'); END`,
  `CREATE TRIGGER names_not_deleted BEFORE DELETE ON names
    BEGIN SELECT RAISE(ABORT, 'names: a name is never deleted'); END`,
  ...EVENT_TABLE,
  ...EVENT_INDEXES_AND_TRIGGERS
];
var SNAPSHOT_TABLES = [
  `CREATE TABLE IF NOT EXISTS snapshots (
    projection TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    timeline TEXT NOT NULL,
    position INTEGER NOT NULL,
    event_hash TEXT NOT NULL,
    state_hash TEXT NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (fingerprint, timeline, position)
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS snapshot_parts (
    digest TEXT PRIMARY KEY,
    content BLOB NOT NULL
  ) STRICT`
];
var CACHE_TABLES = [
  "CREATE INDEX IF NOT EXISTS events_of_no_task ON events (task) WHERE task IS NULL",
  `CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    owner TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    acquired_at INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL
  ) STRICT`,
  ...SNAPSHOT_TABLES
];

// src/events/sqlite/file/truncationCheck.ts
import * as fs9 from "node:fs";
import * as path7 from "node:path";
var rememberSize = (filename, pagesNow, fromNow) => {
  const file = fs9.realpathSync(filename);
  let verifiedSize = fromNow ? sizeOf4(file) : NO_SIZE;
  return () => {
    if (sizeOf4(file) === verifiedSize) return;
    for (let attempt3 = 0; attempt3 < MAX_ATTEMPTS2; attempt3++) {
      const pages4 = pagesNow();
      const found = sizeOf4(file);
      if (found < pages4.count * pages4.bytes && isMissing(pages4, found, pagesInWal(`${file}-wal`, pages4.bytes))) continue;
      verifiedSize = found;
      return;
    }
    verifiedSize = NO_SIZE;
    const { count, bytes } = pagesNow();
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason: `${path7.basename(file)} was cut short: expected ${count * bytes} bytes or what is missing of them in the -wal, found ${sizeOf4(file)}. Nothing more is appended, so that what is left stays as it is; end every process that has the log open`
    });
  };
};
var NO_SIZE = -1;
var MAX_ATTEMPTS2 = 3;
var sizeOf4 = (file) => fs9.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
var isMissing = ({ count, bytes }, size9, inWal) => {
  for (let page = Math.floor(size9 / bytes) + 1; page <= count; page++) if (!inWal.has(page)) return true;
  return false;
};
var pagesInWal = (wal, pageBytes) => {
  const pages4 = /* @__PURE__ */ new Set();
  if (sizeOf4(wal) === 0) return pages4;
  const file = fs9.openSync(wal, "r");
  try {
    const begin = Buffer.alloc(WAL_HEADER_BYTES);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    fs9.readSync(file, begin, 0, begin.length, 0);
    const salts = begin.subarray(16, 24);
    for (let at2 = begin.length; fs9.readSync(file, frame, 0, frame.length, at2) === frame.length; ) {
      if (!frame.subarray(8, 16).equals(salts)) break;
      pages4.add(frame.readUInt32BE(0));
      at2 += frame.length + pageBytes;
    }
  } finally {
    fs9.closeSync(file);
  }
  return pages4;
};

// src/events/sqlite/file/database.ts
var BUSY_TIMEOUT_MS = 5e3;
var open6 = (filename, options) => Effect14.acquireRelease(
  attempt(filename, () => connect(filename, options)),
  (database) => Effect14.sync(() => database.close())
);
var temporaryDatabase = Effect14.acquireRelease(
  Effect14.sync(() => {
    const database = connect(IN_MEMORY, { readonly: false });
    database.run("PRAGMA temp_store = FILE");
    return database;
  }),
  (database) => Effect14.sync(() => database.close())
);
var connect = (filename, options) => {
  const connection2 = driver2().open(filename, { ...options, busyTimeoutMs: BUSY_TIMEOUT_MS });
  const files = filename === IN_MEMORY ? void 0 : add7(filename, connection2);
  const close2 = () => {
    connection2.close();
    files?.remove();
  };
  try {
    return { ...databaseOf(connection2, filename, options.readonly, files?.known), close: close2 };
  } catch (cause3) {
    close2();
    throw cause3;
  }
};
var databaseOf = (connection2, filename, readonly, known) => {
  const inMemory2 = known === void 0;
  if (!readonly && !inMemory2) fs10.accessSync(filename, fs10.constants.W_OK);
  connection2.prepare("SELECT 1 FROM sqlite_schema").rows([]);
  connection2.script(SETTINGS2);
  const shared = !readonly && scalarOf(connection2, "PRAGMA journal_mode") === "wal";
  const checkIdentity = inMemory2 ? () => {
  } : rememberIdentity(filename, shared, known);
  checkIdentity();
  const checkSize = inMemory2 || !(shared || readonly) ? () => {
  } : rememberSize(filename, () => pagesOf(connection2), readonly);
  const checkLength = shared ? rememberLength(filename, () => walLengthOf(connection2)) : () => {
  };
  const checkAll = () => {
    checkIdentity();
    checkLength();
    checkSize();
  };
  let checked2 = false;
  return {
    filename,
    inTransaction: connection2.inTransaction,
    together: (statements) => {
      if (checked2) return statements();
      checkAll();
      checked2 = true;
      try {
        return statements();
      } finally {
        checked2 = false;
      }
    },
    run: (sql, parameters = []) => {
      if (!checked2 && !connection2.inTransaction()) checkAll();
      return connection2.prepare(sql).run(parameters);
    },
    rows: (sql, parameters = []) => {
      if (!checked2 && (readonly || !connection2.inTransaction())) {
        checkIdentity();
        checkSize();
      }
      return connection2.prepare(sql).rows(parameters);
    }
  };
};
var SETTINGS2 = "PRAGMA cache_size = -16000; PRAGMA synchronous = NORMAL";
var scalarOf = (connection2, sql) => connection2.prepare(sql).rows([])[0]?.[0];
var pagesOf = (connection2) => ({
  count: Number(scalarOf(connection2, "PRAGMA page_count")),
  bytes: Number(scalarOf(connection2, "PRAGMA page_size"))
});
var walLengthOf = (connection2) => {
  const [row] = connection2.prepare("PRAGMA wal_checkpoint(NOOP)").rows([]);
  const pageBytes = Number(scalarOf(connection2, "PRAGMA page_size"));
  return { frames: Math.max(0, Number(row?.[1] ?? 0)), frameBytes: FRAME_HEADER_BYTES + pageBytes };
};
var attempt = (log4, run) => Effect14.suspend(() => attemptSync(log4, run));
var attemptSync = (log4, run) => {
  const began = performance.now();
  try {
    return Either6.right(run());
  } catch (cause3) {
    return Either6.left(statementError(log4, cause3, performance.now() - began));
  }
};
var attemptRead = (log4, run) => Effect14.catchTag(attempt(log4, run), "DiskFull", () => diskFullError(log4));
var diskFullError = (log4) => new LogUnavailable({ log: log4, reason: "the disk is full; make room and try again" });
var DamagedRow = class extends Error {
  position;
  constructor(position, reason2) {
    super(reason2);
    this.position = position;
  }
};
var isOutOfSequence = (cause3) => sqliteCode(cause3) === "SQLITE_CONSTRAINT_TRIGGER" && messageOf(cause3) === OUT_OF_SEQUENCE;
var OUT_OF_SEQUENCE = "events: an event takes the next position";
var sqliteCode = (cause3) => typeof cause3 === "object" && cause3 !== null && "code" in cause3 && typeof cause3.code === "string" ? cause3.code : "";
var messageOf = (cause3) => cause3 instanceof Error ? cause3.message : String(cause3);
var statementError = (log4, cause3, tookMs = BUSY_TIMEOUT_MS) => {
  if (cause3 instanceof LogUnavailable || cause3 instanceof SegmentUnavailable || cause3 instanceof LogCorrupt)
    return cause3;
  if (cause3 instanceof DriverUnavailable) return new LogUnavailable({ log: log4, reason: cause3.message });
  const code = sqliteCode(cause3);
  const reason2 = messageOf(cause3);
  if (cause3 instanceof DamagedRow) return new LogCorrupt({ log: log4, position: cause3.position, reason: reason2 });
  if (code === "") throw cause3;
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") {
    return new LogBusy({ log: log4, waitedMs: Math.round(Math.min(tookMs, BUSY_TIMEOUT_MS)) });
  }
  if (FULL_CODES.has(code) || mayBeFullDisk(code) && isExhausted(log4)) return new DiskFull({ log: log4 });
  const damage = damageOf(code, reason2);
  if (damage !== void 0) return new LogCorrupt({ log: log4, position: null, reason: damage });
  return new LogUnavailable({ log: log4, reason: unavailable(code, reason2) });
};
var FULL_CODES = /* @__PURE__ */ new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);
var mayBeFullDisk = (code) => code.startsWith("SQLITE_IOERR") || code === "SQLITE_CANTOPEN";
var damageOf = (code, reason2) => {
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return reason2;
  if (code === "SQLITE_IOERR_SHORT_READ")
    return "it ends before its last page: it, or the -wal beside it, was cut short or replaced";
  if (code.startsWith("SQLITE_CONSTRAINT"))
    return `an event that fits the log is refused by its tables or triggers (${reason2})`;
  if (code === "SQLITE_ERROR" && isMissingInLog(reason2)) return `its tables are not those of a log (${reason2})`;
  return void 0;
};
var isMissingInLog = (reason2) => {
  const table = /^no such table: (?:main\.)?(\w+)$/.exec(reason2)?.[1];
  if (table === void 0) return reason2.startsWith("no such column");
  return LOG_TABLES.some((statement) => statement.startsWith(`CREATE TABLE ${table} `));
};
var unavailable = (code, reason2) => {
  if (code.startsWith("SQLITE_READONLY") || READ_ONLY_CODES.has(code))
    return `it is read-only (${reason2}). ${READ_ONLY_ADVICE}`;
  if (code.startsWith("SQLITE_CANTOPEN")) {
    return `it cannot be opened (${reason2}). Check the path; where it is right, the file or its directory is closed to this user. ${READ_ONLY_ADVICE}`;
  }
  return `${reason2} (${code})`;
};
var READ_ONLY_CODES = /* @__PURE__ */ new Set(["EACCES", "EPERM", "EROFS"]);
var READ_ONLY_ADVICE = "To append, make the file and its directory writable; to read, copy the file, with its -wal and -shm if they are there, to a directory where you may write, and open the copy.";

// src/events/sqlite/file/schemaCheck.ts
var guard = (database) => {
  let verifiedVersion;
  return () => {
    const [[version] = []] = database.rows("PRAGMA schema_version");
    if (version === verifiedVersion) return;
    const [first2, ...others] = flawsIn(database);
    if (first2 !== void 0) {
      const more = others.length === 0 ? "" : `, and ${others.length} more`;
      const reason2 = `${first2}${more}. Nothing is appended while that is so`;
      throw new LogCorrupt({ log: database.filename, position: null, reason: reason2 });
    }
    verifiedVersion = version;
  };
};
var flawsIn = (database) => {
  const found = /* @__PURE__ */ new Map();
  for (const [kind2, name, sql] of database.rows("SELECT type, name, sql FROM sqlite_schema")) {
    if (!isInternal(String(kind2), String(name), sql)) found.set(String(name), entryOf(String(kind2), String(sql)));
  }
  return [
    ...[...LOG_ENTRIES].flatMap(([name, own]) => differences(name, own, found.get(name))),
    ...[...found].flatMap(
      ([name, { kind: kind2 }]) => LOG_ENTRIES.has(name) || CACHE_ENTRIES.get(name)?.kind === kind2 ? [] : foreignEntry(kind2, name)
    )
  ];
};
var entryOf = (kind2, sql) => ({
  kind: kind2,
  sql: onOneLine(sql.replace(/^(CREATE \w+) IF NOT EXISTS /, "$1 "))
});
var onOneLine = (sql) => sql.replaceAll(/'[^']*'|\s+/g, (part) => part.startsWith("'") ? part : " ").trim();
var NAMED = /^CREATE (TABLE|INDEX|TRIGGER|VIEW) (?:IF NOT EXISTS )?(\w+)/;
var byName = (statements) => new Map(
  statements.map((statement) => {
    const [, kind2 = "", name = ""] = NAMED.exec(statement) ?? [];
    return [name, entryOf(kind2.toLowerCase(), statement)];
  })
);
var LOG_ENTRIES = byName(LOG_TABLES);
var CACHE_ENTRIES = byName(CACHE_TABLES);
var isInternal = (kind2, name, sql) => sql === null || kind2 === "table" && /^sqlite_stat\d$/.test(name);
var differences = (name, own, found) => {
  if (found === void 0) return [`its ${own.kind} ${name} is missing`];
  return found.kind === own.kind && found.sql === own.sql ? [] : [`its ${own.kind} ${name} was changed`];
};
var foreignEntry = (kind2, name) => [
  `it holds the ${kind2} ${JSON.stringify(name)}, which another program put there (to take it out: DROP ${kind2.toUpperCase()} ${quoted(name)})`
];
var quoted = (name) => /^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

// src/events/sqlite/pageQuery.ts
var COLUMNS = "position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_before, recorded_at, payload, key_id, hash";
var READ_COLUMNS = "position, lower(hex(id || hash || coalesce(causation, ''))), timeline, stream, version, type, schema_version, task, actor, occurred_before, recorded_at, payload, key_id";
var NO_TASK = "none";
var SHORT_RANGE = 2e3;
var pageQuery = (query, limit) => {
  const { after: after4, until, stream: stream2, task, types } = query;
  if (until !== null && until - after4 <= SHORT_RANGE) return read2([range(query), ...filters(query)], limit);
  if (stream2 !== null) return readStream(query, stream2, limit);
  if (task !== null) return read2([range(query), ofTask(task), ...filters({ ...query, task: null })], limit);
  if (types !== null) return readTypes(query, types, limit);
  return read2([range(query), ...filters(query)], limit);
};
var read2 = (clauses, limit) => ({
  sql: `SELECT ${READ_COLUMNS} FROM events WHERE ${conjunction(clauses)} ORDER BY position LIMIT ?`,
  parameters: [...clauses.flatMap(({ values: values3 }) => values3), limit]
});
var readStream = (query, stream2, limit) => {
  const { timeline, afterVersion } = query;
  const clauses = [
    { sql: "stream = ?", values: [stream2] },
    ...timeline === null ? [] : [{ sql: "timeline = ?", values: [timeline] }],
    ...afterVersion === null ? [] : [{ sql: "version > ?", values: [afterVersion] }],
    range(query, "+"),
    ...filters({ ...query, stream: null, timeline: null, afterVersion: null })
  ];
  return {
    sql: `SELECT ${READ_COLUMNS} FROM events WHERE ${conjunction(clauses)} ORDER BY ${timeline === null ? "position" : "version"} LIMIT ?`,
    parameters: [...clauses.flatMap(({ values: values3 }) => values3), limit]
  };
};
var readTypes = (query, types, limit) => {
  const ofType = (type) => {
    const clauses = [{ sql: "type = ?", values: [type] }, range(query), ...filters({ ...query, types: null })];
    return {
      sql: `SELECT position FROM (SELECT position FROM events WHERE ${conjunction(clauses)} ORDER BY position LIMIT ?)`,
      values: [...clauses.flatMap(({ values: values3 }) => values3), limit]
    };
  };
  const each = types.map(ofType);
  return read2(
    [
      {
        sql: `position IN (${each.map(({ sql }) => sql).join(" UNION ALL ")})`,
        values: each.flatMap(({ values: values3 }) => values3)
      }
    ],
    limit
  );
};
var range = ({ after: after4, until }, prefix = "") => until === null ? { sql: `${prefix}position > ?`, values: [after4] } : { sql: `${prefix}position > ? AND ${prefix}position <= ?`, values: [after4, until] };
var filters = ({ timeline, stream: stream2, afterVersion, task, types }) => [
  ...timeline === null ? [] : [{ sql: "+timeline = ?", values: [timeline] }],
  ...stream2 === null ? [] : [{ sql: "+stream = ?", values: [stream2] }],
  ...afterVersion === null ? [] : [{ sql: "+version > ?", values: [afterVersion] }],
  ...task === null ? [] : [ofTask(task, "+")],
  ...types === null ? [] : [{ sql: `+type IN (${types.map(() => "?").join(", ")})`, values: types }]
];
var ofTask = (task, prefix = "") => task === NO_TASK ? { sql: `${prefix}task IS NULL`, values: [] } : { sql: `${prefix}task = ?`, values: [task] };
var conjunction = (clauses) => clauses.map(({ sql }) => sql).join(" AND ");

// src/events/payload/StoredPayload.ts
var read3 = ({ blob, keys: keys6 }, eventId, { payload, keyId }) => {
  const text = textOf2(blob, payload);
  if (keyId === null) return { payload: parse(text), personal: void 0 };
  const key = keys6.find(keyId);
  return { payload: decryptPayload(key, eventId, text), personal: { keyId, readable: key !== void 0 } };
};
var textOf2 = (blob, payload) => {
  const digest2 = digestIn(payload);
  if (digest2 === void 0) return payload;
  const text = blob(digest2);
  if (text === void 0) throw new Error(`its payload is the blob ${digest2}, which is not there`);
  if (sha256(text) !== digest2) throw new Error(`its payload is the blob ${digest2}, and what is there is another text`);
  return text;
};
var parse = (text) => {
  try {
    return JSON.parse(text);
  } catch (cause3) {
    throw new Error(`its payload is not JSON (${String(cause3)})`);
  }
};

// src/events/sqlite/read.ts
var readPage = (reader, query, limit) => pageOf(
  reader,
  query,
  limit,
  (row) => eventOf(reader, row),
  (row) => archivedEvent(reader, row)
);
var pageOf = (reader, query, limit, ofRetained, ofArchived) => {
  const { segments, database } = reader;
  const { after: after4 = 0, until = Number.MAX_SAFE_INTEGER } = query;
  const pageAbove = (floor) => {
    const archived2 = after4 < floor ? segments.page(query, limit).map(ofArchived) : [];
    const remaining = limit - archived2.length;
    const rest = until <= floor || remaining === 0 ? [] : retainedRows(reader, { ...query, after: Math.max(after4, floor) }, remaining).map(ofRetained);
    return archived2.length === 0 ? rest : [...archived2, ...rest];
  };
  return database.together(() => {
    let floor = segments.knownFloor();
    for (; ; ) {
      const page = pageAbove(floor);
      const now = segments.floor();
      if (now === floor || now <= after4) return page;
      floor = now;
    }
  });
};
var retainedRows = ({ names: names3, database }, query, limit) => {
  const interned = internedQuery(names3, query);
  if (interned === void 0) return [];
  const { sql, parameters } = pageQuery(interned, limit);
  return database.rows(sql, parameters);
};
var findEvent = (reader, id) => {
  const [row] = reader.database.rows(`SELECT ${READ_COLUMNS} FROM events WHERE id = ?`, [bytesOf(id)]);
  const floor = reader.segments.floor();
  if (row !== void 0 && Number(row[0]) > floor) return eventOf(reader, row);
  const archived2 = floor === 0 ? void 0 : reader.segments.find(id);
  return archived2 && archivedEvent(reader, archived2);
};
var readHead = (database) => {
  const [row] = database.rows("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1");
  return row === void 0 ? EMPTY : { position: Number(row[0]), hash: hexOf(row[1]) };
};
var EMPTY = { position: 0, hash: GENESIS };
var hashAt = (database, segments, position) => {
  const [row] = database.rows("SELECT hash FROM events WHERE position = ?", [position]);
  if (position <= segments.floor()) return segments.page({ after: position - 1, until: position }, 1)[0]?.hash;
  return row === void 0 ? void 0 : hexOf(row[0]);
};
var internedQuery = (names3, query) => {
  const { after: after4 = 0, until = null, afterVersion = null } = query;
  const idOf2 = (text) => text === void 0 ? null : names3.id(text);
  const timeline = idOf2(query.timeline);
  const stream2 = idOf2(query.stream);
  const task = query.taskId === null ? NO_TASK : idOf2(query.taskId);
  const types = query.types?.flatMap((type) => names3.id(type) ?? []) ?? null;
  if (timeline === void 0 || stream2 === void 0 || task === void 0 || types?.length === 0) return void 0;
  return { after: after4, until, timeline, stream: stream2, afterVersion, task, types };
};
var rowLink = ({ names: names3 }, row) => {
  const digits = String(row[1]);
  const name = (id) => nameIn(names3, row, id);
  return {
    link: {
      position: Number(row[0]),
      id: uuidOf(digits, 0),
      timeline: name(row[2]),
      stream: name(row[3]),
      version: Number(row[4]),
      type: name(row[5]),
      schemaVersion: Number(row[6]),
      taskId: row[7] === null ? null : name(row[7]),
      causationId: digits.length > HASH_END ? uuidOf(digits, HASH_END) : null,
      actor: name(row[8]),
      occurredAt: Number(row[10]) - Number(row[9]),
      recordedAt: Number(row[10])
    },
    hash: digits.slice(ID_END, HASH_END)
  };
};
var nameIn = (names3, row, id) => {
  const text = Number.isSafeInteger(id) ? names3.text(Number(id)) : void 0;
  if (text === void 0) throw new DamagedRow(Number(row[0]), "it uses a name that the file does not have");
  return text;
};
var eventOf = (reader, row) => {
  const { names: names3, upcast } = reader;
  const name = (id2) => nameIn(names3, row, id2);
  const type = name(row[5]);
  const digits = String(row[1]);
  const id = uuidOf(digits, 0);
  const stored = { payload: String(row[11]), keyId: row[12] === null ? null : name(row[12]) };
  const { payload, personal } = contentOf(reader, Number(row[0]), id, stored);
  const event = {
    position: Number(row[0]),
    id,
    timeline: name(row[2]),
    stream: name(row[3]),
    version: Number(row[4]),
    type,
    schemaVersion: Number(row[6]),
    taskId: row[7] === null ? null : name(row[7]),
    causationId: digits.length > HASH_END ? uuidOf(digits, HASH_END) : null,
    actor: name(row[8]),
    occurredAt: Number(row[10]) - Number(row[9]),
    recordedAt: Number(row[10]),
    payload: upcast(type, Number(row[6]), payload),
    hash: digits.slice(ID_END, HASH_END)
  };
  return personal === void 0 ? event : { ...event, personal };
};
var archivedEvent = (reader, { link: link2, payload: text, keyId, hash: hash7 }) => {
  const { payload, personal } = contentOf(reader, link2.position, link2.id, { payload: text, keyId });
  const event = { ...link2, payload: reader.upcast(link2.type, link2.schemaVersion, payload), hash: hash7 };
  return personal === void 0 ? event : { ...event, personal };
};
var contentOf = (reader, position, id, stored) => {
  const { database, keys: keys6, segments } = reader;
  const blob = (digest2) => readBlob(database, digest2) ?? segments.blob(digest2);
  try {
    return read3({ blob, keys: keys6 }, id, stored);
  } catch (cause3) {
    if (cause3 instanceof SqliteError || isUnavailable(cause3)) throw cause3;
    throw new DamagedRow(position, cause3 instanceof Error ? cause3.message : String(cause3));
  }
};
var isUnavailable = (cause3) => cause3 instanceof SegmentUnavailable || cause3 instanceof LogUnavailable;
var readBlob = (database, digest2) => {
  const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest2]);
  return row === void 0 ? void 0 : String(row[0]);
};
var ID_END = 32;
var HASH_END = ID_END + 64;
var uuidOf = (hex, at2) => `${hex.slice(at2, at2 + 8)}-${hex.slice(at2 + 8, at2 + 12)}-${hex.slice(at2 + 12, at2 + 16)}-${hex.slice(at2 + 16, at2 + 20)}-${hex.slice(at2 + 20, at2 + 32)}`;
var bytesOf = (uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex");
var hexOf = (bytes) => bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex") : "";

// src/events/sqlite/append.ts
var MAX_ROWS_PER_INSERT = 64;
var MAX_KNOWN_STREAMS = 1e4;
var make44 = (reader, committed = () => {
}, now = () => Date.now()) => {
  const { database, names: names3, segments } = reader;
  const checkSchema = guard(database);
  checkSchema();
  let head5 = readHead(database);
  let versions2 = /* @__PURE__ */ new Map();
  const version = (timeline, stream2) => {
    const key = streamKey(timeline, stream2);
    const known = versions2.get(key) ?? readVersion(database, names3, timeline, stream2);
    versions2.set(key, known);
    return known;
  };
  const checkHead = () => {
    const { position, hash: hash7 } = head5;
    if (position === 0 || database.rows(HAS_EVENT, [position, Buffer.from(hash7, "hex")]).length === 1) return;
    if (hashAt(database, segments, position) === hash7) return;
    const reason2 = "the event at the head is missing or is another one: the file was replaced by an earlier copy, or rewritten, while the log was open. Later events are lost, and nothing more is appended until the log is opened again";
    throw new LogCorrupt({ log: database.filename, position, reason: reason2 });
  };
  const check3 = () => {
    checkSchema();
    checkHead();
  };
  const commitOnce = (requests) => {
    const find4 = (id) => findEvent(reader, id);
    const batch = sequence({ head: head5, version, find: find4 }, requests, now());
    if (batch.rows.length === 0) {
      const conflicts = batch.placements.some(({ kind: kind2 }) => kind2 === "conflict");
      if (conflicts && !isSame(readHead(database), head5)) return void 0;
    } else {
      if (!write(database, names3, batch, check3)) return void 0;
      head5 = batch.head;
      committed(batch);
      for (const [key, version2] of batch.versions) versions2.set(key, version2);
      if (versions2.size > MAX_KNOWN_STREAMS) versions2 = /* @__PURE__ */ new Map();
    }
    const missed = readingOnce((query, limit) => readPage(reader, query, limit));
    return requests.map(
      (_, index) => Either7.flatMap(
        attemptSync(database.filename, () => toResult(batch.placements[index], missed)),
        (answer) => answer
      )
    );
  };
  const commit = (requests) => {
    while (true) {
      const answers = commitOnce(requests);
      if (answers !== void 0) return answers;
      checkHead();
      const next = readHead(database);
      if (next.position === head5.position) {
        const reason2 = `position ${head5.position + 1} was refused although nothing was appended`;
        throw new LogCorrupt({ log: database.filename, position: null, reason: reason2 });
      }
      head5 = next;
      versions2 = /* @__PURE__ */ new Map();
    }
  };
  const commitTogether = (requests) => attemptSync(database.filename, () => database.together(() => commit(requests)));
  const commitAlone = (request2) => Either7.flatMap(commitTogether([request2]), ([answer]) => {
    if (answer === void 0) throw new Error("the commit left an append unanswered");
    return answer;
  });
  return (requests) => {
    const answers = commitTogether(requests);
    if (Either7.isRight(answers) || answers.left._tag !== "SegmentUnavailable") return answers;
    return Either7.right(requests.map(commitAlone));
  };
};
var HAS_EVENT = "SELECT 1 FROM events WHERE position = ? AND hash = ?";
var isSame = (one, other) => one.position === other.position && one.hash === other.hash;
var readVersion = (database, names3, timeline, stream2) => {
  const streamId = names3.id(stream2);
  const timelineId = names3.id(timeline);
  if (streamId === void 0 || timelineId === void 0) return 0;
  const [row] = database.rows(LAST_VERSION, [streamId, timelineId, streamId, timelineId]);
  return Number(row?.[0] ?? 0);
};
var LAST_VERSION = `SELECT max(
  coalesce((SELECT max(version) FROM events WHERE stream = ? AND timeline = ?), 0),
  coalesce((SELECT version FROM archived_streams WHERE stream = ? AND timeline = ?), 0))`;
var write = (database, names3, batch, check3 = () => {
}) => {
  const inserts = insertsOf(names3, batch);
  const hasBlobs = batch.validated.some(({ blob }) => blob !== null);
  const [only] = inserts;
  if (only?.count === 1 && inserts.length === 1 && !hasBlobs) {
    check3();
    return insert3(database, only);
  }
  database.run("BEGIN IMMEDIATE");
  try {
    check3();
    for (const rows of inserts) {
      if (!insert3(database, rows)) {
        database.run("ROLLBACK");
        return false;
      }
    }
    if (hasBlobs) writeBlobs(database, batch);
    database.run("COMMIT");
    return true;
  } catch (cause3) {
    rollback(database);
    throw cause3;
  }
};
var writeBlobs = (database, { rows, validated }) => {
  for (const [index, { blob }] of validated.entries()) {
    if (blob === null) continue;
    expectStored(database, 1, database.run(SAVE_BLOB, [blob.digest, rows[index]?.position, blob.text]));
  }
};
var SAVE_BLOB = `INSERT INTO blobs (digest, last_position, content) VALUES (?, ?, ?)
  ON CONFLICT (digest) DO UPDATE SET last_position = excluded.last_position`;
var rollback = (database) => {
  if (database.inTransaction()) database.run("ROLLBACK");
};
var insert3 = (database, { count, values: values3 }) => {
  try {
    expectStored(database, count, database.run(INSERTS[count] ?? "", values3));
    return true;
  } catch (cause3) {
    if (isOutOfSequence(cause3)) return false;
    throw cause3;
  }
};
var expectStored = (database, expected, stored) => {
  if (stored === expected) return;
  const reason2 = `SQLite stored ${stored} of ${expected} rows: a trigger that is not Hindcast's skipped the others`;
  throw new LogCorrupt({ log: database.filename, position: null, reason: reason2 });
};
var ROW = `(${COLUMNS.replaceAll(/\w+/g, "?")})`;
var INSERTS = Array.from(
  { length: MAX_ROWS_PER_INSERT + 1 },
  (_, rows) => `INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => ROW).join(", ")}`
);
var insertsOf = (names3, { rows, validated }) => {
  const inserts = [];
  for (let start3 = 0; start3 < rows.length; start3 += MAX_ROWS_PER_INSERT) {
    const values3 = [];
    const end3 = Math.min(start3 + MAX_ROWS_PER_INSERT, rows.length);
    for (let index = start3; index < end3; index++) {
      const event = rows[index];
      if (event !== void 0) pushRow(values3, names3, event, validated[index]?.stored ?? "");
    }
    inserts.push({ count: end3 - start3, values: values3 });
  }
  return inserts;
};
var pushRow = (values3, names3, event, stored) => {
  values3.push(
    event.position,
    bytesOf(event.id),
    names3.intern(event.timeline),
    names3.intern(event.stream),
    event.version,
    names3.intern(event.type),
    event.schemaVersion,
    event.taskId === null ? null : names3.intern(event.taskId),
    event.causationId === null ? null : bytesOf(event.causationId),
    names3.intern(event.actor),
    event.recordedAt - event.occurredAt,
    event.recordedAt,
    stored,
    event.personal === void 0 ? null : names3.intern(event.personal.keyId),
    Buffer.from(event.hash, "hex")
  );
};

// src/events/sqlite/archive/archiveEvents.ts
import * as fs15 from "node:fs";
import * as path10 from "node:path";
import { Effect as Effect18 } from "effect";

// src/platform/AtomicFile.ts
import * as crypto6 from "node:crypto";
import * as fs12 from "node:fs";
import * as os from "node:os";
import * as path8 from "node:path";

// src/platform/LiveProcess.ts
import * as fs11 from "node:fs";
var isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (cause3) {
    return cause3 instanceof Error && "code" in cause3 && cause3.code === "EPERM";
  }
};
var isZombie = (pid) => {
  try {
    return /^\) Z /.test(fs11.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*(?=\))/s, ""));
  } catch {
    return false;
  }
};

// src/platform/AtomicFile.ts
var nameFor = (target) => `${target}.${HOST}-${process.pid}-${crypto6.randomBytes(4).toString("hex")}${SUFFIX}`;
var removeAbandonedFile = (target) => removeFrom(path8.dirname(target), (name) => name.startsWith(`${path8.basename(target)}.`));
var removeAbandonedIn = (directory) => removeFrom(directory, () => true);
var removeFrom = (directory, isOfTarget) => {
  for (const name of namesIn(directory)) {
    const writer = WRITER.exec(name);
    if (writer === null || !isOfTarget(name) || writer[1] !== HOST || isAlive(Number(writer[2]))) continue;
    try {
      fs12.rmSync(path8.join(directory, name), { recursive: true, force: true });
    } catch {
    }
  }
};
var namesIn = (directory) => {
  try {
    return fs12.readdirSync(directory);
  } catch {
    return [];
  }
};
var moveNew = (partial, target) => {
  try {
    fs12.linkSync(partial, target);
  } catch (cause3) {
    if (!isRefused(cause3)) throw cause3;
    fs12.closeSync(fs12.openSync(target, "wx", FILE_MODE));
    try {
      fs12.renameSync(partial, target);
    } catch (failure) {
      fs12.rmSync(target);
      throw failure;
    }
    return;
  }
  fs12.rmSync(partial);
};
var isRefused = (cause3) => cause3 instanceof Error && "code" in cause3 && NO_LINKS.has(String(cause3.code));
var NO_LINKS = /* @__PURE__ */ new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
var hostNow = () => {
  let container = "";
  try {
    container = fs12.readlinkSync("/proc/self/ns/pid");
  } catch {
  }
  return crypto6.createHash("sha256").update(`${os.hostname()}\0${container}`).digest("hex").slice(0, 8);
};
var HOST = hostNow();
var SUFFIX = ".partial";
var WRITER = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.partial(?:-wal|-shm|-journal)?$/;

// src/events/integrity/Verifier.ts
import { Effect as Effect15 } from "effect";

// src/events/integrity/TamperClassification.ts
var classify = (evidence) => {
  const { head: head5, from } = evidence;
  const [first2] = from;
  if (first2 === void 0) return missing(head5.position + 1, "there is no event here");
  const { position } = first2.link;
  if (position < 1) return inserted(position, "a log begins at @1");
  if (position === head5.position + 1 && first2.flaw !== null) return { position, ...first2.flaw };
  return misplaced(evidence, first2) ?? changed(evidence, first2);
};
var misplaced = ({ head: head5, earlier, from }, first2) => {
  const position = head5.position + 1;
  const later = from.findIndex((row, index) => index > 0 && continues(head5.hash, row, position));
  const belongs2 = from[later];
  if (first2.link.position > position) return belongs2 === void 0 ? gap(position, first2) : moved(position, belongs2);
  if (belongs2 !== void 0) return swappedOrInserted(position, from, later, belongs2);
  return forgedBefore(earlier, first2) ?? movedUp(position, first2, from[1]);
};
var swappedOrInserted = (position, from, later, belongs2) => {
  const [first2] = from;
  const next = from[later + 1];
  const beforeBelongs = later === 1 ? belongs2.hash : from[later - 1]?.hash ?? "";
  const isSwap = first2 !== void 0 && continues(beforeBelongs, first2, belongs2.link.position);
  const goesOn = next === void 0 || continues(belongs2.hash, next, position + 1);
  if (isSwap || !goesOn) return moved(position, belongs2);
  return inserted(
    position,
    `the event that belongs here, and those after it, are stored from @${belongs2.link.position} on`
  );
};
var forgedBefore = (earlier, first2) => {
  const lastGenuine = earlier.findLast(({ position, hash: hash7 }) => continues(hash7, first2, position + 1));
  return lastGenuine && inserted(lastGenuine.position + 1, `the event that belongs here stands at @${first2.link.position}`);
};
var MAX_MOVED_UP = 1e3;
var movedUp = (position, first2, next) => {
  if (next === void 0) return void 0;
  for (let removed = 1; removed <= MAX_MOVED_UP; removed++) {
    if (!continues(first2.hash, next, next.link.position + removed)) continue;
    const events = removed === 1 ? "an event was" : `${removed} events were`;
    return missing(position, `${events} removed here, and what followed was moved up`);
  }
  return void 0;
};
var changed = ({ head: head5, from, inSequence, anchor }, first2) => {
  const { position } = first2.link;
  const flaw2 = payloadFlaw(first2.payload);
  if (flaw2 !== null) return { position, ...flaw2 };
  const next = from[1];
  const recomputed = link(head5.hash, first2.link, first2.payload, first2.keyId);
  const nextLinksTo = (hash7) => anchor?.position === position && anchor.hash === hash7 || next !== void 0 && continues(hash7, next, position + 1);
  if (nextLinksTo(recomputed)) {
    const reason3 = "the next event or the anchor confirms the hash of its content, but the hash that is stored with it is another";
    return { position, kind: "hash changed", reason: reason3 };
  }
  if (!inSequence) {
    const { stream: stream2, version } = first2.link;
    const reason3 = `version ${version} is not the next one of stream ${stream2}, and the content does not match the stored hash`;
    return { position, kind: "envelope changed", reason: reason3 };
  }
  if (nextLinksTo(first2.hash)) {
    const reason3 = "the event's content does not match its stored hash, which the next event or the anchor confirms: its payload or a field of its envelope was changed, or an earlier event was rewritten together with its hash";
    return { position, kind: "content changed", reason: reason3 };
  }
  const reason2 = "the event's content does not match its stored hash, and no later event shows which of the two was changed";
  return { position, kind: "content or hash changed", reason: reason2 };
};
var payloadFlaw = (payload) => {
  const reason2 = serializationFlaw(payload);
  return reason2 === null ? null : { kind: "payload changed", reason: reason2 };
};
var serializationFlaw = (payload) => {
  try {
    return JSON.stringify(JSON.parse(payload)) === payload ? null : "its payload is not written as the log writes JSON";
  } catch {
    return "its payload is not JSON";
  }
};
var continues = (hash7, { link: link2, payload, keyId, hash: stored }, position) => link(hash7, { ...link2, position }, payload, keyId) === stored;
var missing = (position, reason2) => ({ position, kind: "event missing", reason: reason2 });
var inserted = (position, reason2) => ({ position, kind: "event inserted", reason: reason2 });
var moved = (position, belongs2) => ({
  position,
  kind: "order changed",
  reason: `the event that belongs here stands at @${belongs2.link.position}`
});
var gap = (position, { link: link2 }) => link2.position === position + 1 ? missing(position, "the event is missing") : missing(position, `the events from here to @${link2.position - 1} are missing`);

// src/events/integrity/Verifier.ts
var PAGE_SIZE2 = 1e3;
var WINDOW = 1e3;
var verify = (source2, { anchor, onProgress } = {}) => Effect15.gen(function* () {
  const atStart = yield* source2.head;
  let head5 = { position: 0, hash: GENESIS };
  if (anchor?.position === 0 && anchor.hash !== head5.hash) return broken(rewritten(anchor));
  let isAnchorChecked = anchor === void 0 || anchor.position === 0;
  while (true) {
    const rows = yield* readNext(source2, head5);
    if (rows.length === 0) break;
    const next = walk(head5, rows);
    const anchored = anchor === void 0 ? void 0 : rowAt(rows, head5, next, anchor.position);
    if (anchor !== void 0 && anchored !== void 0 && anchored.hash !== anchor.hash) {
      return broken(rewritten(anchor));
    }
    isAnchorChecked ||= anchored !== void 0;
    const unbroken = next.position - head5.position === rows.length;
    head5 = next;
    if (!unbroken) return broken(yield* classifyBreak(source2, head5, anchor));
    if (onProgress !== void 0) yield* onProgress(head5.position, Math.max(head5.position, atStart.position));
    yield* yieldToEventLoop;
  }
  if (anchor !== void 0 && !isAnchorChecked) return broken(truncated(head5, anchor));
  return { broken: null, head: head5, events: head5.position };
});
var broken = (found) => ({ broken: found });
var walk = (from, rows) => {
  let { position, hash: hash7 } = from;
  for (const row of rows) {
    if (row.link.position !== position + 1 || row.flaw !== null) break;
    const next = link(hash7, row.link, row.payload, row.keyId);
    if (next !== row.hash) break;
    position += 1;
    hash7 = next;
  }
  return { position, hash: hash7 };
};
var rowAt = (rows, from, to, position) => position > from.position && position <= to.position ? rows[position - from.position - 1] : void 0;
var beginning2 = (head5) => head5.position === 0 ? Number.NEGATIVE_INFINITY : head5.position;
var readNext = (source2, head5) => source2.page(beginning2(head5), PAGE_SIZE2).pipe(
  Effect15.catchTag("LogCorrupt", () => source2.page(beginning2(head5), 1)),
  Effect15.catchTag(
    "LogCorrupt",
    ({ log: log4, reason: reason2 }) => Effect15.fail(new LogCorrupt({ log: log4, position: head5.position + 1, reason: reason2 }))
  )
);
var classifyBreak = (source2, head5, anchor) => Effect15.gen(function* () {
  const earlier = yield* headsBefore(source2, head5);
  const from = yield* readable(source2, beginning2(head5));
  const link2 = from[0]?.link;
  const inSequence = link2 === void 0 || (yield* source2.versionBefore(link2.timeline, link2.stream, link2.position)) === link2.version - 1;
  return classify({ head: head5, earlier, from, inSequence, anchor });
});
var headsBefore = (source2, head5) => {
  const after4 = Math.max(0, head5.position - WINDOW);
  return Effect15.map(
    source2.page(after4, head5.position - after4),
    (rows) => [
      ...after4 === 0 ? [{ position: 0, hash: GENESIS }] : [],
      ...rows.map(({ link: link2, hash: hash7 }) => ({ position: link2.position, hash: hash7 }))
    ]
  );
};
var readable = (source2, after4) => Effect15.catchTag(source2.page(after4, WINDOW), "LogCorrupt", () => source2.page(after4, 1));
var rewritten = ({ position }) => ({
  position,
  kind: "head changed",
  reason: "the chain is valid up to here but differs from the anchored one: this event or an earlier one was rewritten"
});
var truncated = (head5, anchor) => ({
  position: head5.position + 1,
  kind: "head changed",
  reason: `the log ends at @${head5.position}, but was anchored at @${anchor.position}: its last events were removed`
});

// src/events/sqlite/integrity/storedChain.ts
import * as crypto7 from "node:crypto";
import { Effect as Effect16 } from "effect";

// src/events/sqlite/integrity/utf8.ts
var REPLACEMENT = "\uFFFD";
var mayDifferFromBytes = (text, length2) => text.includes(REPLACEMENT) || Buffer.byteLength(text) !== length2;
var isExactly = (text, bytes) => bytes instanceof Uint8Array ? Buffer.from(text).equals(bytes) : text === "" && bytes === null;

// src/events/sqlite/integrity/storedChain.ts
var verifyChain = (database, segments, options) => Effect16.suspend(() => {
  const reading = (read5) => attemptRead(database.filename, read5);
  const page = pages2(database, segments);
  return verify(
    {
      head: reading(() => readHead(database)),
      page: (after4, limit) => reading(() => page(after4, limit)),
      versionBefore: (timeline, stream2, position) => reading(() => {
        const retained = Number(database.rows(VERSION_BEFORE, [stream2, timeline, position])[0]?.[0] ?? 0);
        return Math.max(retained, archivedVersion(segments, { timeline, stream: stream2, until: position - 1 }));
      })
    },
    options
  );
});
var archivedVersion = (segments, query) => {
  let version = 0;
  for (let after4 = 0; ; ) {
    const page = segments.page({ ...query, after: after4 }, PAGE_SIZE3);
    const last3 = page.at(-1)?.link;
    if (last3 === void 0) return version;
    version = last3.version;
    after4 = last3.position;
  }
};
var PAGE_SIZE3 = 1e3;
var pages2 = (database, segments) => {
  const retained = retainedRows2(database);
  return (after4, limit) => {
    for (; ; ) {
      const floor = segments.floor();
      const rows = floor > 0 && after4 < floor ? segments.page({ after: after4 }, limit).map((row) => withBlob(row, segments.blob)) : retained(after4, limit);
      if (segments.floor() === floor) return rows;
    }
  };
};
var retainedRows2 = (database) => {
  const stored = storedRows(database);
  return (after4, limit) => database.rows(PAGE, [after4, limit]).map(stored);
};
var withBlob = (row, blob) => {
  const digest2 = digestIn(row.payload);
  if (digest2 === void 0 || sha256(blob(digest2) ?? "") === digest2) return row;
  return { ...row, flaw: BLOB_FLAW };
};
var BLOB_FLAW = {
  kind: "payload changed",
  reason: "its payload is a blob that is missing, or is not what was recorded"
};
var PAGE = `SELECT position, lower(hex(id)), timeline, stream, version, type, schema_version, task,
    iif(causation IS NULL, NULL, lower(hex(causation))), actor, recorded_at - occurred_before, recorded_at, payload, key_id, lower(hex(hash)),
    octet_length(payload)
  FROM events WHERE position > ? ORDER BY position LIMIT ?`;
var VERSION_BEFORE = `SELECT max(version) FROM events WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND timeline = (SELECT id FROM names WHERE text = ?) AND position < ?`;
var storedRows = (database) => {
  const nameOf4 = names(database);
  return (row) => {
    const position = Number(row[0]);
    const payload = String(row[12]);
    const bad = [];
    const name = (column, field3) => {
      const found = nameOf4(Number(row[column]));
      if (found === void 0) bad.push(envelopeFlaw(`its ${field3} is a name that the file does not have, or not text`));
      return found ?? "";
    };
    const uuid = (column, field3) => {
      const hex = String(row[column]);
      if (hex.length !== 32) bad.push(envelopeFlaw(`its ${field3} is not 16 bytes`));
      return uuidOf2(hex);
    };
    const link2 = {
      position,
      id: uuid(1, "id"),
      timeline: name(2, "timeline"),
      stream: name(3, "stream"),
      version: Number(row[4]),
      type: name(5, "type"),
      schemaVersion: Number(row[6]),
      taskId: row[7] === null ? null : name(7, "task"),
      causationId: row[8] === null ? null : uuid(8, "cause"),
      actor: name(9, "actor"),
      occurredAt: Number(row[10]),
      recordedAt: Number(row[11])
    };
    const keyId = row[13] === null ? null : name(13, "key");
    if (mayDifferFromBytes(payload, Number(row[15])) && !isExactly(payload, payloadBytes(database, position))) {
      bad.push({ kind: "payload changed", reason: "its payload is not text in UTF-8" });
    }
    const digest2 = digestIn(payload);
    if (digest2 !== void 0 && !isBlob(database, digest2)) bad.push(BLOB_FLAW);
    return { link: link2, payload, keyId, hash: String(row[14]), flaw: bad[0] ?? null };
  };
};
var isBlob = (database, digest2) => {
  const [row] = database.rows("SELECT CAST(content AS BLOB) FROM blobs WHERE digest = ?", [digest2]);
  return row?.[0] instanceof Uint8Array && crypto7.hash("sha256", row[0], "hex") === digest2;
};
var uuidOf2 = (hex) => `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
var envelopeFlaw = (reason2) => ({ kind: "envelope changed", reason: reason2 });
var MAX_NAMES3 = 1e4;
var names = (database) => {
  const known = /* @__PURE__ */ new Map();
  const read5 = (id) => {
    const [row] = database.rows("SELECT text, CAST(text AS BLOB) FROM names WHERE id = ?", [id]);
    return row !== void 0 && isExactly(String(row[0]), row[1]) ? String(row[0]) : void 0;
  };
  return (id) => {
    if (known.has(id)) return known.get(id);
    if (known.size >= MAX_NAMES3) known.clear();
    const text = read5(id);
    known.set(id, text);
    return text;
  };
};
var payloadBytes = (database, position) => database.rows("SELECT CAST(payload AS BLOB) FROM events WHERE position = ?", [position])[0]?.[0];

// src/events/sqlite/archive/SegmentFile.ts
import * as fs13 from "node:fs";

// src/events/read/QueryMatch.ts
var matches = (query, event) => event.position > (query.after ?? 0) && (query.until === void 0 || event.position <= query.until) && (query.timeline === void 0 || event.timeline === query.timeline) && (query.stream === void 0 || event.stream === query.stream) && (query.afterVersion === void 0 || event.version > query.afterVersion) && (query.taskId === void 0 || event.taskId === query.taskId) && (query.types === void 0 || query.types.includes(event.type));

// src/events/sqlite/archive/Block.ts
import * as zlib2 from "node:zlib";
var packBlock = (block) => pack2(JSON.stringify(block.map(lineOf)));
var unpackBlock = (content) => {
  const lines = JSON.parse(unpack(content));
  if (!Array.isArray(lines) || !lines.every(isLine)) throw new Error("a block holds something that is no event");
  for (const line2 of lines) {
    const bad = findNonJson(line2);
    if (bad !== void 0) throw new DamagedRow(line2[0], `its segment says something that is no event: ${bad.found}`);
  }
  return lines.map(storedOf);
};
var lineOf = ({ link: link2, payload, keyId, hash: hash7 }) => [
  link2.position,
  link2.id,
  link2.timeline,
  link2.stream,
  link2.version,
  link2.type,
  link2.schemaVersion,
  link2.taskId,
  link2.causationId,
  link2.actor,
  link2.occurredAt,
  link2.recordedAt,
  payload,
  keyId,
  hash7
];
var isLine = (line2) => Array.isArray(line2) && line2.length === FIELDS2.length && FIELDS2.every(([kind2, isNullable2], index) => {
  const value2 = line2[index];
  return kind2 === "number" ? Number.isSafeInteger(value2) : typeof value2 === kind2 || isNullable2 && value2 === null;
});
var FIELDS2 = [
  ...["number", "string", "string", "string", "number", "string", "number"].map(
    (kind2) => [kind2, false]
  ),
  ["string", true],
  ["string", true],
  ["string", false],
  ["number", false],
  ["number", false],
  ["string", false],
  ["string", true],
  ["string", false]
];
var storedOf = (line2) => ({
  link: {
    position: line2[0],
    id: line2[1],
    timeline: line2[2],
    stream: line2[3],
    version: line2[4],
    type: line2[5],
    schemaVersion: line2[6],
    taskId: line2[7],
    causationId: line2[8],
    actor: line2[9],
    occurredAt: line2[10],
    recordedAt: line2[11]
  },
  payload: line2[12],
  keyId: line2[13],
  hash: line2[14],
  flaw: null
});
var namesOf = ({ link: link2 }) => [
  link2.timeline,
  link2.stream,
  link2.type,
  ...link2.taskId === null ? [] : [link2.taskId]
];
var QUALITY = 5;
var pack2 = (text) => zlib2.brotliCompressSync(text, { params: { [zlib2.constants.BROTLI_PARAM_QUALITY]: QUALITY } });
var unpack = (content) => UTF_8.decode(zlib2.brotliDecompressSync(content instanceof Uint8Array ? content : new Uint8Array()));
var UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// src/events/sqlite/archive/SegmentFile.ts
var APPLICATION_ID2 = 1214477159;
var BLOCK_EVENTS = 1e3;
var BLOCK_CHARACTERS = 1024 * 1024;
var TABLES = [
  "CREATE TABLE segment (first INTEGER NOT NULL, last INTEGER NOT NULL, previous_hash TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
  "CREATE TABLE blocks (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, content BLOB NOT NULL) STRICT",
  "CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT",
  `CREATE TABLE block_names (name INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (name, block)) STRICT, WITHOUT ROWID`,
  "CREATE TABLE ids (id TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE blobs (digest TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT"
];
var MAX_CACHED_BLOCKS = 4;
var writeSegment = (filename, from) => {
  if (!makeFile(filename)) throw new Error(`${filename} is there already`);
  const database = connect(filename, { readonly: false });
  let last3 = from;
  let closed = false;
  const close2 = () => {
    if (!closed) database.close();
    closed = true;
  };
  for (const statement of ["PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "BEGIN", ...TABLES])
    database.run(statement);
  const addBlock = (block) => {
    const [first2, end3] = [block[0], block.at(-1)];
    if (first2 === void 0 || end3 === void 0) return;
    const { position } = first2.link;
    database.run("INSERT INTO blocks VALUES (?, ?, ?)", [position, end3.link.position, packBlock(block)]);
    for (const name of new Set(block.flatMap(namesOf))) {
      database.run("INSERT INTO names (text) VALUES (?) ON CONFLICT (text) DO NOTHING", [name]);
      database.run("INSERT INTO block_names SELECT id, ? FROM names WHERE text = ?", [position, name]);
    }
    for (const { link: link2 } of block) database.run("INSERT INTO ids VALUES (?, ?)", [link2.id, link2.position]);
    last3 = { position: end3.link.position, hash: end3.hash };
  };
  return {
    add: (rows, blob) => {
      for (const block of blocksFrom(rows)) addBlock(block);
      for (const { payload, link: link2 } of rows) {
        const digest2 = digestIn(payload);
        if (digest2 === void 0) continue;
        const text = blob(digest2);
        if (text === void 0) throw new Error(`the blob of @${link2.position} is missing`);
        database.run("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", [digest2, pack2(text)]);
      }
    },
    finish: () => {
      database.run("INSERT INTO segment VALUES (?, ?, ?, ?)", [from.position + 1, last3.position, from.hash, last3.hash]);
      database.run(`PRAGMA application_id = ${APPLICATION_ID2}`);
      database.run("COMMIT");
      close2();
      flush(filename);
    },
    discard: () => {
      close2();
      fs13.rmSync(filename, { force: true });
    }
  };
};
var blocksFrom = (rows) => {
  const blocks = [];
  let remaining = 0;
  for (const row of rows) {
    const block = blocks.at(-1);
    if (block === void 0 || remaining <= 0 || block.length === BLOCK_EVENTS) {
      blocks.push([row]);
      remaining = BLOCK_CHARACTERS;
    } else block.push(row);
    remaining -= row.payload.length;
  }
  return blocks;
};
var flush = (filename) => {
  const file = fs13.openSync(filename, "r");
  try {
    fs13.fsyncSync(file);
  } finally {
    fs13.closeSync(file);
  }
};
var open7 = (filename) => {
  const database = connect(filename, { readonly: true });
  try {
    return segmentIn(database);
  } catch (cause3) {
    database.close();
    throw cause3;
  }
};
var segmentIn = (database) => {
  const [[owner] = []] = database.rows("PRAGMA application_id");
  if (owner !== APPLICATION_ID2) throw new Error("it is no segment of a log");
  const [[first2, last3, hash7] = []] = database.rows("SELECT first, last, hash FROM segment");
  const decodedBlocks = /* @__PURE__ */ new Map();
  const block = (position) => {
    const known = decodedBlocks.get(position);
    if (known !== void 0) return known;
    const [[content] = []] = database.rows("SELECT content FROM blocks WHERE first = ?", [position]);
    const rows = unpackBlock(content);
    for (const oldest of decodedBlocks.keys()) if (decodedBlocks.size >= MAX_CACHED_BLOCKS) decodedBlocks.delete(oldest);
    decodedBlocks.set(position, rows);
    return rows;
  };
  return {
    first: Number(first2),
    last: Number(last3),
    hash: String(hash7),
    page: (query, limit) => {
      const selected = [];
      for (const position of blocksOf2(database, query)) {
        for (const row of block(position)) {
          if (selected.length === limit) return selected;
          if (matches(query, row.link)) selected.push(row);
        }
      }
      return selected;
    },
    find: (id) => {
      const [row] = database.rows("SELECT position FROM ids WHERE id = ?", [id]);
      return row === void 0 ? void 0 : Number(row[0]);
    },
    blob: (digest2) => {
      const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest2]);
      return row === void 0 ? void 0 : unpack(row[0]);
    },
    ids: () => {
      const [row] = database.rows("SELECT min(id), max(id) FROM ids");
      return { lowest: String(row?.[0]), highest: String(row?.[1]) };
    },
    close: database.close
  };
};
var blocksOf2 = (database, query) => {
  const { after: after4 = 0, until = Number.MAX_SAFE_INTEGER, timeline, stream: stream2, taskId, types } = query;
  const single2 = [timeline, stream2, taskId].flatMap((name) => name === void 0 || name === null ? [] : [[name]]);
  const wanted = types === void 0 ? single2 : [...single2, types];
  const clauses = wanted.map(
    (names3) => `first IN (SELECT block FROM block_names WHERE name IN
      (SELECT id FROM names WHERE text IN (${names3.map(() => "?").join(", ")})))`
  );
  const sql = ["SELECT first FROM blocks WHERE last > ? AND first <= ?", ...clauses].join(" AND ");
  const rows = database.rows(`${sql} ORDER BY first`, [after4, until, ...wanted.flat()]);
  return rows.map(([position]) => Number(position));
};

// src/events/sqlite/archive/Segments.ts
import * as fs14 from "node:fs";
import * as path9 from "node:path";
import { Effect as Effect17 } from "effect";
var MAX_OPEN = 8;
var directoryOf = (log4) => `${targetOf(log4)}.segments`;
var fileOf = (log4, name) => {
  if (PLAIN_NAME.test(name)) return path9.join(directoryOf(log4), name);
  const reason2 = `it says that a segment is in ${JSON.stringify(name)}, which is no segment's name`;
  throw new LogCorrupt({ log: log4, position: null, reason: reason2 });
};
var PLAIN_NAME = /^[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*$/;
var make45 = (database) => {
  const log4 = database.filename;
  let catalog = [];
  let isRead = false;
  const opened2 = /* @__PURE__ */ new Map();
  const floor = () => {
    const now = Number(database.rows("SELECT coalesce(max(last), 0) FROM segments")[0]?.[0]);
    isRead = true;
    if (now !== lastListed()) catalog = database.rows(CATALOG).map(entryOf2);
    return now;
  };
  const lastListed = () => catalog.at(-1)?.last ?? 0;
  const knownFloor = () => isRead ? lastListed() : floor();
  const readFrom2 = (entry, read5) => {
    const filename = fileOf(log4, entry.file);
    for (; ; ) {
      const known = opened2.get(entry.first);
      try {
        return read5(known ?? open11(entry, filename));
      } catch (cause3) {
        opened2.get(entry.first)?.close();
        opened2.delete(entry.first);
        if (known !== void 0) continue;
        if (cause3 instanceof DamagedRow) throw cause3;
        const reason2 = fs14.existsSync(filename) ? `it cannot be read (${String(cause3)})` : "the file is not there";
        const { first: first2, last: last3 } = entry;
        throw new SegmentUnavailable({ log: log4, first: first2, last: last3, file: filename, reason: reason2 });
      }
    }
  };
  const open11 = (entry, filename) => {
    const segment = openAs(entry, filename);
    for (const [first2, oldest] of opened2) {
      if (opened2.size < MAX_OPEN) break;
      oldest.close();
      opened2.delete(first2);
    }
    opened2.set(entry.first, segment);
    return segment;
  };
  const page = (query, limit) => {
    const { after: after4 = 0, until = Number.MAX_SAFE_INTEGER } = query;
    const rows = [];
    for (const entry of catalog) {
      if (entry.last <= after4 || entry.first > until) continue;
      if (rows.length === limit) break;
      rows.push(...readFrom2(entry, (segment) => segment.page(query, limit - rows.length)));
    }
    return rows;
  };
  const verifiedRanges = /* @__PURE__ */ new Set();
  const mayHave = (entry, id) => {
    if (!verifiedRanges.has(entry.first) && fs14.existsSync(fileOf(log4, entry.file))) {
      const { lowest, highest } = readFrom2(entry, (segment) => segment.ids());
      if (lowest !== entry.lowestId || highest !== entry.highestId) {
        const reason2 = `its record of the ids in the segment ${entry.file} differs from the segment; \`hindcast log verify\` says more`;
        throw new LogCorrupt({ log: log4, position: null, reason: reason2 });
      }
      verifiedRanges.add(entry.first);
    }
    return id >= entry.lowestId && id <= entry.highestId;
  };
  const segments = {
    floor,
    knownFloor,
    page,
    find: (id) => {
      for (const entry of catalog) {
        if (!mayHave(entry, id)) continue;
        const position = readFrom2(entry, (segment) => segment.find(id));
        if (position !== void 0) return page({ after: position - 1, until: position }, 1)[0];
      }
      return void 0;
    },
    blob: (digest2) => {
      floor();
      for (const entry of catalog) {
        const text = readFrom2(entry, (segment) => segment.blob(digest2));
        if (text !== void 0) return text;
      }
      return void 0;
    },
    list: () => {
      floor();
      return catalog.map(({ first: first2, last: last3, file, archivedAt }) => {
        const filename = fileOf(log4, file);
        return { first: first2, last: last3, file, bytes: fs14.statSync(filename, { throwIfNoEntry: false })?.size ?? null, archivedAt };
      });
    }
  };
  const close2 = () => {
    for (const segment of opened2.values()) segment.close();
  };
  return Effect17.acquireRelease(Effect17.succeed(segments), () => Effect17.sync(close2));
};
var openAs = (entry, filename) => {
  const segment = open7(filename);
  if (segment.first === entry.first && segment.last === entry.last && segment.hash === entry.hash) return segment;
  segment.close();
  throw new Error("it holds other events than those that were archived");
};
var CATALOG = `SELECT first, last, lower(hex(hash)), file, lower(hex(lowest_id)), lower(hex(highest_id)), archived_at
  FROM segments ORDER BY first`;
var entryOf2 = ([first2, last3, hash7, file, lowestId, highestId, archivedAt]) => ({
  first: Number(first2),
  last: Number(last3),
  hash: String(hash7),
  file: String(file),
  lowestId: uuidOf3(String(lowestId)),
  highestId: uuidOf3(String(highestId)),
  archivedAt: Number(archivedAt)
});
var uuidOf3 = (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

// src/events/sqlite/archive/archiveEvents.ts
var PAGE_SIZE4 = 1e3;
var make46 = ({ log: log4, reader, writer, segments, moved: moved2 }) => {
  const attemptOnLog = (run) => attempt(log4.name, run);
  return Archive.of({
    segments: attemptOnLog(() => segments.list()),
    archive: (given) => Effect18.gen(function* () {
      const options = yield* decode2("archive", ArchiveOptions, given);
      const { until, actor } = options;
      const from = yield* attemptOnLog(() => endOfLast(reader));
      const head5 = yield* log4.head;
      const refuse = (expected, found) => new NotArchived({ log: log4.name, expected, found });
      if (writer === void 0) return yield* refuse("a log in a file that is open for writing", "another");
      if (until <= from.position || until >= head5.position) {
        const free = `a position from ${from.position + 1} to ${head5.position - 1}`;
        const expected = head5.position - from.position > 1 ? free : "at least two events that are not archived yet";
        return yield* refuse(
          expected,
          head5.position - from.position > 1 ? `${until}` : `${head5.position - from.position}`
        );
      }
      const range2 = { first: from.position + 1, last: until };
      const file = `${padded(range2.first)}-${padded(range2.last)}.segment`;
      const end3 = yield* write2(log4.name, { reader, segments }, from, file, options);
      if (!(yield* attemptOnLog(() => listSegment(writer, { ...range2, file, hash: end3.hash })))) {
        yield* attemptOnLog(() => removeUnlisted(log4.name, segments, file));
        return yield* refuse("that nobody else archives", "events that were archived meanwhile; try again");
      }
      moved2();
      const [event] = (yield* log4.append({
        stream: "log",
        actor,
        events: [{ type: "RangeArchived", payload: { ...range2, segment: file } }]
      })).events;
      const shrunk = yield* freeSpace(writer, range2);
      const segment = segments.list().find(({ first: first2 }) => first2 === range2.first);
      if (event === void 0 || segment === void 0) return yield* Effect18.dieMessage("the segment is not listed");
      return { segment, event, shrunk };
    })
  });
};
var padded = (position) => String(position).padStart(10, "0");
var endOfLast = (reader) => {
  const [row] = reader.rows("SELECT last, lower(hex(hash)) FROM segments ORDER BY last DESC LIMIT 1");
  return row === void 0 ? { position: 0, hash: GENESIS } : { position: Number(row[0]), hash: String(row[1]) };
};
var write2 = (log4, sources, from, file, { until, onProgress }) => Effect18.acquireUseRelease(
  attempt(log4, () => {
    makeDirectory(directoryOf(log4));
    removeAbandonedIn(directoryOf(log4));
    const partial = nameFor(path10.join(directoryOf(log4), file));
    return { partial, segmentWriter: writeSegment(partial, from) };
  }),
  ({ partial, segmentWriter }) => Effect18.gen(function* () {
    const page = pages2(sources.reader, sources.segments);
    let head5 = from;
    while (head5.position < until) {
      head5 = yield* attempt(log4, () => {
        const rows = page(head5.position, Math.min(PAGE_SIZE4, until - head5.position));
        const walked = continueChain(log4, head5, rows);
        segmentWriter.add(rows, (digest2) => readBlob(sources.reader, digest2) ?? sources.segments.blob(digest2));
        return walked;
      });
      if (onProgress !== void 0) yield* onProgress(head5.position - from.position, until - from.position);
      yield* yieldToEventLoop;
    }
    yield* attempt(log4, () => segmentWriter.finish());
    const readBack = yield* endOf(log4, partial, from);
    if (readBack.hash !== head5.hash)
      return yield* damaged(log4, until, "the segment was not read back as it was written");
    yield* attempt(log4, () => {
      fs15.renameSync(partial, path10.join(directoryOf(log4), file));
      flushDirectory(directoryOf(log4));
      flushDirectory(path10.dirname(directoryOf(log4)));
    });
    return head5;
  }),
  ({ segmentWriter }) => Effect18.sync(() => segmentWriter.discard())
);
var damaged = (log4, position, reason2) => new LogCorrupt({ log: log4, position, reason: reason2 });
var continueChain = (log4, from, rows) => {
  const head5 = walk(from, rows);
  if (rows.length === 0 || head5.position !== from.position + rows.length) {
    throw damaged(log4, head5.position + 1, "the chain breaks here, and what was tampered with is not archived");
  }
  return head5;
};
var endOf = (log4, filename, from) => Effect18.acquireUseRelease(
  attempt(log4, () => open7(filename)),
  (segment) => Effect18.gen(function* () {
    let head5 = from;
    while (head5.position < segment.last) {
      head5 = yield* attempt(log4, () => {
        const rows = segment.page({ after: head5.position }, PAGE_SIZE4);
        return continueChain(
          log4,
          head5,
          rows.map((row) => withBlob(row, segment.blob))
        );
      });
      yield* yieldToEventLoop;
    }
    return head5;
  }),
  (segment) => Effect18.sync(() => segment.close())
);
var removeUnlisted = (log4, segments, file) => {
  if (segments.list().every((segment) => segment.file !== file))
    fs15.rmSync(path10.join(directoryOf(log4), file), { force: true });
};
var flushDirectory = (directory) => {
  const file = fs15.openSync(directory, "r");
  try {
    fs15.fsyncSync(file);
  } finally {
    fs15.closeSync(file);
  }
};
var listSegment = (writer, { first: first2, last: last3, file, hash: hash7 }) => inTransaction(writer, () => {
  if (endOfLast(writer).position !== first2 - 1) return false;
  const [[lowest, highest] = []] = writer.rows("SELECT min(id), max(id) FROM events WHERE position BETWEEN ? AND ?", [
    first2,
    last3
  ]);
  const listed = writer.run("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", [
    first2,
    last3,
    file,
    Buffer.from(hash7, "hex"),
    lowest,
    highest,
    Date.now()
  ]);
  if (listed !== 1)
    throw damaged(writer.filename, first2, "the segment was not listed: another program put a trigger there");
  writer.run(
    `INSERT INTO archived_streams SELECT stream, timeline, max(version) FROM events WHERE position BETWEEN ? AND ?
        GROUP BY stream, timeline
        ON CONFLICT (stream, timeline) DO UPDATE SET version = excluded.version`,
    [first2, last3]
  );
  return true;
});
var freeSpace = (writer, range2) => Effect18.zipRight(deleteArchived(writer, range2), shrink(writer)).pipe(
  Effect18.catchTag("LogBusy", () => Effect18.succeed(false))
);
var deleteArchived = (writer, { first: first2, last: last3 }) => Effect18.gen(function* () {
  for (let position = first2; position <= last3; position += PAGE_SIZE4) {
    yield* attempt(
      writer.filename,
      () => writer.run("DELETE FROM events WHERE position < ?", [Math.min(position + PAGE_SIZE4, last3 + 1)])
    );
    yield* yieldToEventLoop;
  }
  yield* attempt(writer.filename, () => writer.run("DELETE FROM blobs WHERE last_position <= ?", [last3]));
});
var PAGES_PER_STEP = 2e3;
var shrink = (writer) => Effect18.gen(function* () {
  const freePages = () => Number(writer.rows("PRAGMA freelist_count")[0]?.[0]);
  for (let free = freePages(); free > 0; ) {
    yield* attempt(writer.filename, () => writer.run(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`));
    const left3 = freePages();
    if (left3 >= free) return false;
    free = left3;
    yield* yieldToEventLoop;
  }
  yield* attempt(writer.filename, () => writer.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  return true;
});
var inTransaction = (writer, body) => {
  writer.run("BEGIN IMMEDIATE");
  try {
    const answer = body();
    writer.run("COMMIT");
    return answer;
  } catch (cause3) {
    if (writer.inTransaction()) writer.run("ROLLBACK");
    throw cause3;
  }
};

// src/events/sqlite/archive/bundle.ts
import * as path12 from "node:path";
import { Chunk as Chunk3, Effect as Effect22, Stream as Stream5 } from "effect";

// src/events/sqlite/file/createLog.ts
import * as fs19 from "node:fs";
import { Effect as Effect21 } from "effect";

// src/events/sqlite/file/openDatabase.ts
import * as fs18 from "node:fs";
import * as path11 from "node:path";
import { Effect as Effect20 } from "effect";

// src/events/sqlite/file/client.ts
import * as Reactivity from "@effect/experimental/Reactivity";
import * as SqlClient from "@effect/sql/SqlClient";
import { SqlError } from "@effect/sql/SqlError";
import * as Statement from "@effect/sql/Statement";
import { Effect as Effect19, Stream as Stream4 } from "effect";
var open8 = (filename, options) => Effect19.suspend(() => {
  const used = driver2();
  return used.name === "better-sqlite3" && IS_INSTALLED ? ofEffect(filename, options) : ofDriver(used, filename, options);
}).pipe(
  Effect19.provide(Reactivity.layer),
  Effect19.tap((sql) => sql.unsafe(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`))
);
var IS_INSTALLED = isInstalled(import.meta.url, "events/sqlite/file/client");
var EFFECT_CLIENT = ["@effect/sql-sqlite-node", "SqliteClient"].join("/");
var ofEffect = (filename, { readonly }) => Effect19.flatMap(
  Effect19.promise(async () => import(EFFECT_CLIENT)),
  ({ make: make56 }) => make56({ filename, readonly, disableWAL: true })
);
var ofDriver = (used, filename, { readonly }) => Effect19.gen(function* () {
  const database = yield* Effect19.acquireRelease(
    Effect19.sync(() => used.open(filename, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS })),
    (database2) => Effect19.sync(() => database2.close())
  );
  const connection2 = connectionOf(database);
  const permit = yield* Effect19.makeSemaphore(1);
  return yield* SqlClient.make({
    acquirer: permit.withPermits(1)(Effect19.succeed(connection2)),
    transactionAcquirer: Effect19.acquireRelease(Effect19.as(permit.take(1), connection2), () => permit.release(1)),
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  });
});
var connectionOf = (database) => {
  const attempt3 = (run) => Effect19.try({ try: run, catch: (cause3) => new SqlError({ cause: cause3, message: "Failed to execute statement" }) });
  const values3 = (sql, parameters) => attempt3(() => database.prepare(sql).rows(parameters));
  const execute = (sql, parameters, transformRows) => attempt3(() => {
    const statement = database.prepare(sql);
    const columns = statement.columns();
    const rows = statement.rows(parameters).map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
    return transformRows === void 0 ? rows : transformRows(rows);
  });
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, parameters) => execute(sql, parameters, void 0),
    executeValues: values3,
    executeStream: () => Stream4.dieMessage("a log's client reads no streams")
  };
};

// src/events/sqlite/file/header.ts
import * as fs16 from "node:fs";
var HEADER_BYTES = 100;
var readHeader = (filename) => {
  const file = fs16.openSync(filename, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const read5 = fs16.readSync(file, header, 0, HEADER_BYTES, 0);
    return { size: fs16.fstatSync(file).size, header: header.subarray(0, read5) };
  } finally {
    fs16.closeSync(file);
  }
};
var hasLogApplicationId = (filename) => {
  const { header } = readHeader(filename);
  if (header.length < HEADER_BYTES) return false;
  return header.readUInt32BE(68) === APPLICATION_ID && header.readUInt32BE(60) <= FORMAT_VERSION;
};

// src/events/sqlite/file/newFile.ts
import * as fs17 from "node:fs";
var make48 = (filename) => {
  const { links, target } = resolveLinks(filename);
  if (fs17.existsSync(target)) return;
  const foreign = links.find((link2) => !isTrusted(fs17.lstatSync(link2)));
  if (foreign !== void 0) {
    const reason2 = `${foreign} is a symbolic link of another user, and its target does not exist. Name the file itself, or create it first`;
    throw new LogUnavailable({ log: filename, reason: reason2 });
  }
  makeFile(target);
};

// src/events/sqlite/file/upgrade.ts
var FROM_FORMAT_1 = [
  "DROP VIEW event_log",
  "DROP TRIGGER events_in_sequence",
  "DROP TRIGGER events_not_updated",
  "DROP TRIGGER events_not_deleted",
  "DROP INDEX events_by_task",
  "DROP INDEX events_by_type",
  "ALTER TABLE events RENAME TO events_of_format_1",
  ...EVENT_TABLE,
  `INSERT INTO events
    SELECT position, id, timeline, stream, version, type, schema_version, task, causation, actor,
      recorded_at - occurred_at, recorded_at, payload, key_id, hash
    FROM events_of_format_1 ORDER BY position`,
  "DROP TABLE events_of_format_1",
  ...EVENT_INDEXES_AND_TRIGGERS,
  `PRAGMA user_version = ${FORMAT_VERSION}`
];

// src/events/sqlite/file/openDatabase.ts
var WAL_LIMIT_BYTES = 64 * 1024 * 1024;
var open9 = (filename) => Effect20.gen(function* () {
  yield* makeDirectory2(filename);
  yield* refuseOrphan(filename);
  yield* attempt(filename, () => refuseReplaced(filename));
  yield* attempt(filename, () => make48(filename));
  const sql = yield* connect2(filename, false);
  const found = yield* checkFormat(filename, sql);
  if (found === "empty") {
    yield* sql`PRAGMA page_size = ${sql.literal(String(PAGE_BYTES))}`;
    yield* sql`PRAGMA auto_vacuum = INCREMENTAL`;
    yield* transaction(sql, makeTables(filename, sql));
  }
  if (found === "old log") yield* transaction(sql, upgradeTables(filename, sql));
  yield* sql`PRAGMA journal_mode = WAL`;
  yield* sql`PRAGMA synchronous = NORMAL`;
  yield* sql`PRAGMA journal_size_limit = ${sql.literal(String(WAL_LIMIT_BYTES))}`;
  for (const statement of CACHE_TABLES) yield* sql.unsafe(statement);
}).pipe(mapSqlErrors(filename));
var check2 = (filename) => Effect20.gen(function* () {
  if (!fs18.existsSync(filename)) {
    return yield* new LogUnavailable({
      log: filename,
      reason: "there is no such file. Name an existing log with --log FILE or HINDCAST_LOG."
    });
  }
  yield* attempt(filename, () => refuseReplaced(filename));
  const sql = yield* connect2(filename, true);
  const found = yield* checkFormat(filename, sql);
  if (found === "log") return;
  return yield* new LogFormatUnsupported({
    log: filename,
    found: found === "empty" ? "an empty database" : OLD_FORMAT
  });
}).pipe(mapSqlErrors(filename), Effect20.scoped);
var mapSqlErrors = (filename) => (effect) => Effect20.catchAll(effect, (error2) => {
  const named = isSqlError(error2) ? statementError(filename, error2.cause) : error2;
  return isDiskFull(named) ? diskFullError(filename) : Effect20.fail(named);
});
var isSqlError = (error2) => error2._tag === "SqlError";
var isDiskFull = (error2) => error2._tag === "DiskFull";
var makeDirectory2 = (filename) => Effect20.try({
  try: () => makeDirectory(path11.dirname(filename)),
  catch: (cause3) => new LogUnavailable({ log: filename, reason: `its directory cannot be made: ${String(cause3)}` })
});
var refuseOrphan = (filename) => attempt(filename, () => {
  const target = targetOf(filename);
  const [file, wal] = [target, `${target}-wal`].map((name) => fs18.statSync(name, { throwIfNoEntry: false })?.size ?? 0);
  if (file !== 0 || wal === 0) return;
  throw new LogUnavailable({
    log: filename,
    reason: `the file is missing or empty, and ${path11.basename(target)}-wal beside it holds ${wal} bytes of acknowledged events. Put the file back beside it; or, to begin a new log, move the -wal away.`
  });
});
var refuseReplaced = (filename) => {
  const log4 = find3(filename);
  if (log4 !== void 0) rememberIdentity(filename, false, log4.known)();
};
var connect2 = (filename, readonly) => open8(filename, { readonly }).pipe(
  Effect20.catchAllDefect((cause3) => Effect20.fail(statementError(filename, cause3)))
);
var OLD_FORMAT = `format 1, which \`hindcast log upgrade\`, or opening it for writing, brings to format ${FORMAT_VERSION}`;
var checkFormat = (filename, sql) => Effect20.gen(function* () {
  const refuse = (found2) => new LogFormatUnsupported({ log: filename, found: found2 });
  const [found] = yield* sql`
      SELECT application_id AS owner, user_version AS format, (SELECT count(*) FROM sqlite_schema) AS tables
      FROM pragma_application_id, pragma_user_version`.pipe(
    mapSqlErrors(filename),
    Effect20.catchTag(
      "LogCorrupt",
      (error2) => hasLogApplicationId(filename) ? error2 : refuse(`a file that SQLite cannot read (${error2.reason})`)
    )
  );
  if (found === void 0 || found.owner === 0 && found.tables === 0) return "empty";
  if (found.owner !== APPLICATION_ID) return yield* refuse("an SQLite database of another program");
  if (found.format === 1) return "old log";
  if (found.format !== FORMAT_VERSION) {
    return yield* refuse(`format ${found.format}, where this version knows format ${FORMAT_VERSION}; update Hindcast`);
  }
  return "log";
});
var makeTables = (filename, sql) => Effect20.gen(function* () {
  if ((yield* checkFormat(filename, sql)) !== "empty") return;
  for (const statement of LOG_TABLES) yield* sql.unsafe(statement);
  yield* sql.unsafe(`PRAGMA application_id = ${APPLICATION_ID}`);
  yield* sql.unsafe(`PRAGMA user_version = ${FORMAT_VERSION}`);
});
var upgradeTables = (filename, sql) => Effect20.gen(function* () {
  if ((yield* checkFormat(filename, sql)) !== "old log") return;
  for (const statement of FROM_FORMAT_1) yield* sql.unsafe(statement);
});
var transaction = (sql, body) => (
  // Not `withTransaction`: it begins deferred, so that two processes that read before they write would block each
  // other.
  Effect20.zipRight(sql`BEGIN IMMEDIATE`, body).pipe(
    Effect20.zipLeft(sql`COMMIT`),
    Effect20.tapError(() => Effect20.ignore(sql`ROLLBACK`))
  )
);

// src/events/sqlite/file/createLog.ts
var PARTS = ["", "-wal", "-journal"];
var exists3 = (file) => PARTS.map((suffix) => file + suffix).find((part) => fs19.existsSync(part));
var createAtomically = (file, write4) => {
  const partial = nameFor(file);
  return Effect21.scoped(
    Effect21.gen(function* () {
      removeAbandonedFile(file);
      yield* open9(partial);
      const database = yield* open6(partial, { readonly: false });
      const result = yield* write4(database);
      yield* writeBack(database);
      return result;
    })
  ).pipe(
    Effect21.zipLeft(attempt(file, () => moveNew(partial, file))),
    // If the partial file cannot be removed, writing it has already failed and reported that.
    Effect21.ensuring(Effect21.ignore(Effect21.try(() => removeAll(partial))))
  );
};
var writeBack = (database) => attempt(database.filename, () => database.rows("PRAGMA wal_checkpoint(TRUNCATE)")).pipe(
  Effect21.filterOrFail(
    ([row]) => row?.[0] === 0,
    () => new LogBusy({ log: database.filename, waitedMs: BUSY_TIMEOUT_MS })
  )
);
var removeAll = (file) => {
  for (const part of [...PARTS, "-shm"]) fs19.rmSync(file + part, { force: true });
};

// src/events/sqlite/stringInterning.ts
var make49 = (database) => {
  const texts = new RecentCache();
  const ids3 = new RecentCache();
  const text = (id2) => {
    const known = texts.get(id2);
    if (known !== void 0) return known;
    const [row] = database.rows("SELECT text FROM names WHERE id = ?", [id2]);
    return row === void 0 ? void 0 : texts.keep(id2, String(row[0]));
  };
  const corrupt = (reason2) => new LogCorrupt({ log: database.filename, position: null, reason: reason2 });
  const id = (text2) => {
    const known = ids3.get(text2);
    if (known !== void 0) return known;
    const [row] = database.rows("SELECT id FROM names WHERE text = ?", [text2]);
    if (row === void 0) return void 0;
    if (!Number.isSafeInteger(row[0])) throw corrupt(`the name ${JSON.stringify(text2)} has a number beyond 2^53`);
    return ids3.keep(text2, Number(row[0]));
  };
  const add8 = (text2) => {
    const [row] = database.rows(ADD, [text2]);
    const added2 = row === void 0 ? id(text2) : ids3.keep(text2, Number(row[0]));
    if (added2 !== void 0) return added2;
    const [beyond2] = database.rows("SELECT 1 FROM names WHERE id >= 9007199254740991");
    const why = beyond2 === void 0 ? "a trigger that is not Hindcast's left it out" : "another has a number beyond 2^53";
    throw corrupt(`SQLite did not store the name ${JSON.stringify(text2)}: ${why}`);
  };
  return { text, id, intern: (text2) => id(text2) ?? add8(text2) };
};
var ADD = `INSERT INTO names (text) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM names WHERE id >= 9007199254740991)
  ON CONFLICT (text) DO NOTHING RETURNING id`;
var MAX_RECENT = 16384;
var RecentCache = class {
  #younger = /* @__PURE__ */ new Map();
  #older = /* @__PURE__ */ new Map();
  get(key) {
    const known = this.#younger.get(key);
    if (known !== void 0) return known;
    const found = this.#older.get(key);
    return found === void 0 ? void 0 : this.keep(key, found);
  }
  keep(key, value2) {
    if (this.#younger.size >= MAX_RECENT) {
      this.#older = this.#younger;
      this.#younger = /* @__PURE__ */ new Map();
    }
    this.#younger.set(key, value2);
    return value2;
  }
};

// src/events/sqlite/archive/bundle.ts
var EVENTS_PER_YIELD = 200;
var ORIGINS_PER_EVENT = 1e4;
var REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["PluginUpdateHeld", "PluginGranted", "PluginGrantRevoked"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged", "MetadataSet", "MetadataUnset"]
];
var SCORING = ["ScoringStarted", "ScoringFinished", "ScoreSetPromoted"];
var make50 = (source2) => Bundles.of({
  bundle: (options) => Effect22.gen(function* () {
    const { taskId, file } = yield* decode2("bundle", BundleOptions, options);
    const { log: log4 } = source2;
    const refuse = (expected, found) => new NotBundled({ log: log4.name, expected, found });
    const existing = exists3(file);
    if (existing !== void 0) return yield* refuse("a file that is not there yet", existing);
    const positions = yield* positionsOf(log4, taskId);
    if (positions.length === 0) return yield* refuse(`events of task ${taskId}`, "none");
    const head5 = yield* createAtomically(file, (target) => write3(source2, taskId, positions, target));
    return { file, events: positions.length, head: head5 };
  })
});
var positionsOf = (log4, taskId) => Effect22.gen(function* () {
  const taskPositions = [];
  const scoreSets = /* @__PURE__ */ new Set();
  yield* forEach9(log4.read({ taskId, timeline: MAIN }), (event) => {
    taskPositions.push(event.position);
    if ("scoreSetId" in event.payload) scoreSets.add(event.payload.scoreSetId);
  });
  const [first2] = taskPositions;
  if (first2 === void 0) return [];
  const included = new Set(taskPositions);
  const scored = ({ payload }) => scoreSets.has(payload.scoreSetId);
  yield* forEach9(log4.read({ types: SCORING, after: first2, timeline: MAIN }), (event) => {
    if (scored(event)) included.add(event.position);
  });
  yield* forEach9(
    log4.read({ types: REGISTRY, until: taskPositions.at(-1) ?? first2 }),
    ({ position }) => included.add(position)
  );
  const kernels = yield* Stream5.runLast(log4.read({ types: ["KernelStarted"], until: first2 }));
  if (kernels._tag === "Some") included.add(kernels.value.position);
  return [...included].sort((a, b) => a - b);
});
var forEach9 = (events, visit) => Stream5.runForEachChunk(events, (chunk2) => Effect22.sync(() => Chunk3.forEach(chunk2, visit)));
var write3 = (source2, taskId, positions, target) => Effect22.gen(function* () {
  const { log: log4, database, segments, vocabulary, upcast } = source2;
  const attemptOnLog = (run) => attempt(log4.name, run);
  const page = pages2(database, segments);
  const storedAt = (position) => {
    const [row] = page(position - 1, 1);
    if (row?.link.position !== position || row.flaw !== null) {
      throw new LogCorrupt({ log: log4.name, position, reason: row?.flaw?.reason ?? "the event is missing" });
    }
    return row;
  };
  const reader = {
    ...{ database: target, names: make49(target), upcast, keys: memory() },
    segments: yield* make45(target)
  };
  let recordedAt = Date.now();
  const commit = make44(reader, void 0, () => recordedAt);
  const write4 = (request2) => Effect22.flatMap(commit([request2]), ([answer]) => answer ?? Effect22.dieMessage("the commit answered nothing"));
  const origins = Math.ceil(positions.length / ORIGINS_PER_EVENT);
  const bundlePositions = new Map(positions.map((position, index) => [position, origins + index + 1]));
  const head5 = yield* log4.head;
  const validate3 = make39(vocabulary, memory());
  for (let start3 = 0; start3 < positions.length; start3 += ORIGINS_PER_EVENT) {
    const part = positions.slice(start3, start3 + ORIGINS_PER_EVENT);
    const hashes = yield* attemptOnLog(() => part.map((position) => storedAt(position).hash));
    const payload = { taskId, source: { log: path12.basename(log4.name), head: { ...head5 } }, positions: part, hashes };
    const actor = `import:${path12.basename(log4.name)}`;
    const validated = validate3({ stream: "bundle", actor, events: [{ type: "TaskBundled", payload }] });
    yield* Effect22.flatMap(validated, write4);
  }
  const blob = (digest2) => readBlob(database, digest2) ?? segments.blob(digest2);
  for (const [index, position] of positions.entries()) {
    const request2 = yield* attemptOnLog(() => requestOf(storedAt(position), { blob, bundlePositions, vocabulary }));
    recordedAt = request2.recordedAt;
    yield* write4(request2);
    if (index % EVENTS_PER_YIELD === 0) yield* yieldToEventLoop;
  }
  return readHead(target);
}).pipe(Effect22.catchTags({ VersionConflict: Effect22.die, InvalidEvent: Effect22.die }));
var requestOf = ({ link: link2, payload, keyId }, { blob, bundlePositions, vocabulary }) => {
  const digest2 = digestIn(payload);
  const found = digest2 === void 0 ? payload : blob(digest2);
  if (found === void 0) throw new Error(`the blob ${digest2} of @${link2.position} is missing`);
  const fields = vocabulary.types.get(link2.type)?.positions ?? [];
  const text = fields.length === 0 ? found : withMappedPositions(found, fields, keyId !== null, bundlePositions);
  const large = blobOf(text);
  return {
    timeline: MAIN,
    stream: link2.stream,
    taskId: link2.taskId,
    actor: link2.actor,
    expected: null,
    fence: null,
    with: [],
    synced: false,
    recordedAt: link2.recordedAt,
    events: [
      {
        id: link2.id,
        idGiven: false,
        type: link2.type,
        schemaVersion: link2.schemaVersion,
        causationId: link2.causationId,
        occurredAt: link2.occurredAt,
        payload: {},
        text,
        stored: large === null ? text : nameOf(large),
        blob: large,
        encrypted: keyId === null ? null : { keyId, textWithoutKey: text }
      }
    ]
  };
};
var withMappedPositions = (text, fields, isEncrypted, bundlePositions) => {
  const content = JSON.parse(text);
  const payload = isEncrypted ? content.open : content;
  const changed3 = Object.fromEntries(
    Object.entries(payload).map(([key, value2]) => [
      key,
      fields.includes(key) ? mapPositions(value2, bundlePositions) : value2
    ])
  );
  return JSON.stringify(isEncrypted ? { ...content, open: changed3 } : changed3);
};
var mapPositions = (value2, bundlePositions) => {
  if (Array.isArray(value2)) return value2.flatMap((position) => bundlePositions.get(Number(position)) ?? []);
  if (typeof value2 !== "object" || value2 === null) return value2;
  const { from, to } = value2;
  const inside = [...bundlePositions].filter(([position]) => position >= from && position <= to).map(([, bundlePosition]) => bundlePosition);
  return { from: inside[0] ?? 0, to: inside.at(-1) ?? 0 };
};

// src/events/sqlite/file/checkpoint.ts
import { Effect as Effect23, Either as Either8 } from "effect";
var IDLE_AFTER_MS = 1e3;
var truncateWhenIdle = (database) => {
  let commits = 0;
  let truncatedAt = 0;
  let stopWaiting;
  const waitForIdle = () => {
    const seen = commits;
    const timer = setTimeout(() => commits === seen ? writeBackThenTruncate() : waitForIdle(), IDLE_AFTER_MS);
    timer.unref();
    stopWaiting = () => clearTimeout(timer);
  };
  const writeBackThenTruncate = () => {
    if (!checkpoint(database, "PASSIVE")) return waitForIdle();
    const seen = commits;
    const next = setImmediate(() => {
      if (commits !== seen || !checkpoint(database, "TRUNCATE")) return waitForIdle();
      truncatedAt = commits;
      stopWaiting = void 0;
    });
    stopWaiting = () => clearImmediate(next);
  };
  const close2 = () => {
    stopWaiting?.();
    if (truncatedAt !== commits) checkpoint(database, "TRUNCATE");
  };
  return Effect23.as(
    Effect23.addFinalizer(() => Effect23.sync(close2)),
    () => {
      commits += 1;
      if (stopWaiting === void 0) waitForIdle();
    }
  );
};
var checkpoint = (database, mode) => Either8.match(
  attemptSync(database.filename, () => database.rows(`PRAGMA wal_checkpoint(${mode})`)),
  {
    onLeft: () => false,
    onRight: ([row]) => row !== void 0 && Number(row[0]) === 0 && row[1] === row[2]
  }
);

// src/events/sqlite/file/closingOrder.ts
import * as path13 from "node:path";
import { Effect as Effect25, Exit, Scope } from "effect";

// src/platform/ProgramLog.ts
import { Cause as Cause2, Effect as Effect24 } from "effect";

// src/values/PlainText.ts
var visible = (text) => ASCII.test(text) ? text : text.replaceAll(CONTROL_OR_INVISIBLE, (found) => isEmojiPart(found) ? found : escaped(found));
var visibleLines = (text) => text.split("\n").map(visible).join("\n");
var ASCII = /^[\x20-\x7e]*$/;
var INVISIBLE = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800";
var EMOJI = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?";
var CONTROL_OR_INVISIBLE = new RegExp(
  `${EMOJI}(?:\\u200D${EMOJI})+|\\p{Extended_Pictographic}\\uFE0F|[${INVISIBLE}]|(?<=\\p{M}{4})\\p{M}`,
  "gu"
);
var MISTAKABLE = new RegExp(`[${INVISIBLE}\\p{Co}\\p{Cn}]|(?! )\\p{Zs}|(?<=\\p{ASCII}|\\p{M}{3})\\p{M}`, "gu");
var LIKE_PUNCTUATION = new RegExp(
  [
    "[\\u2044\\u2215\\u2571\\u27CB\\u29F8\\u3033\\u2216\\u27CD\\u29F5\\u29F9]",
    "[\\u2010\\u2012\\u2043\\u2212\\u2796\\u02D7\\u02D0\\u2236\\uA789\\u01C0\\u2223\\u2758\\u01C3]",
    "[\\u2217\\u204E\\u22C6\\u223C\\u02DC\\u02B9\\u02BA\\u02C2-\\u02C4\\u02C6\\u02C8\\u02CA\\u02CB]"
  ].join("|"),
  "gu"
);
var MODERN_SCRIPTS = "Common Inherited Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan";
var inScripts = (scripts) => scripts.split(" ").map((script) => `\\p{Script=${script}}`).join("");
var OUTSIDE_MODERN_SCRIPTS = new RegExp(`(?![${inScripts(MODERN_SCRIPTS)}])[\\p{L}\\p{N}]`, "gu");
var isEmojiPart = (found) => /^\p{Extended_Pictographic}/u.test(found);
var escaped = (found) => Array.from(found, escapedOne).join("");
var escapedOne = (character) => SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
var SHORT = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
var NOT_WITH_LATIN = new RegExp(
  `(?![${inScripts("Common Inherited Latin Han Hiragana Katakana Hangul Bopomofo")}])\\p{L}`,
  "gu"
);

// src/platform/ProgramLog.ts
var error = (what, why, about) => Effect24.logError(line(what, why, about));
var line = (what, why, about) => [
  visible(what),
  ...about === void 0 ? [] : [visible(JSON.stringify(about) ?? "")],
  ...why === void 0 ? [] : [visibleLines(reasonOf(why))]
].join("\n");
var reasonOf = (why) => {
  if (Cause2.isCause(why)) return Cause2.pretty(why);
  return why instanceof Error ? why.message : String(why);
};

// src/events/sqlite/file/closingOrder.ts
var scopes = (filename) => Effect25.gen(function* () {
  const log4 = path13.resolve(targetOf(filename));
  const reading = yield* Scope.make();
  const writing = yield* Scope.make();
  yield* Effect25.addFinalizer(
    () => Effect25.gen(function* () {
      const { writesBack, endangered } = stateOf(log4);
      for (const scope3 of writesBack ? [reading, writing] : [writing, reading]) yield* Scope.close(scope3, Exit.void);
      if (endangered !== void 0 && isLost(log4, writesBack)) yield* reportLoss(filename, endangered);
    })
  );
  return { reading, writing };
});
var stateOf = (log4) => {
  try {
    const open11 = find3(log4);
    if (open11 === void 0) return { writesBack: true, endangered: void 0 };
    const isOurs = (suffix) => identityOf(log4 + suffix) === open11.known.identities.get(suffix);
    if (isOurs("-wal")) return { writesBack: isOurs("-shm"), endangered: void 0 };
    return { writesBack: isOurs("-shm") || isUntouched(log4, open11), endangered: endangeredIn(open11) };
  } catch {
    return { writesBack: false, endangered: void 0 };
  }
};
var isUntouched = (log4, { known }) => {
  if (identityOf(`${log4}-wal`) === void 0 && identityOf(`${log4}-shm`) === void 0) return true;
  return sizeOf3(`${log4}-wal`) === 0 && modifiedAt(log4) === known.modifiedAt;
};
var endangeredIn = ({ connections: [connection2] }) => {
  if (connection2 === void 0) return void 0;
  const [[, frames, writtenBack] = []] = connection2.prepare("PRAGMA wal_checkpoint(NOOP)").rows([]);
  const pages4 = Number(frames) - Number(writtenBack);
  return pages4 > 0 ? { pages: pages4, position: lastPosition(connection2) } : void 0;
};
var lastPosition = (connection2) => {
  try {
    return Number(connection2.prepare("SELECT max(position) FROM events").rows([])[0]?.[0]);
  } catch {
    return null;
  }
};
var isLost = (log4, writesBack) => find3(log4) === void 0 && !(writesBack && identityOf(`${log4}-wal`) === void 0);
var reportLoss = (filename, { pages: pages4, position }) => error(
  `The -wal of a log was removed while it was open, and another process has opened the log since. What this process wrote last could not be added: ${pages4} pages, which may hold acknowledged events. The last event that it knew was at position ${position ?? "(unreadable)"}. Another process that had the log open before may still write them back: let it exit by itself. Then compare the log's last events with what was acknowledged, verify the log with \`hindcast log verify\`, and append what is missing again. Log:`,
  void 0,
  filename
);

// src/events/sqlite/file/flush.ts
import * as fs20 from "node:fs";
import { Effect as Effect26 } from "effect";
var make51 = (filename) => {
  let wal;
  let waiting = [];
  let underWay = false;
  let failed;
  const next = () => {
    const group = waiting;
    waiting = [];
    underWay = group.length > 0;
    if (!underWay) return;
    const finish = (failure) => {
      for (const done7 of group) done7(failure);
      next();
    };
    try {
      wal ??= fs20.openSync(`${fs20.realpathSync(filename)}-wal`, "r+");
    } catch (cause3) {
      setImmediate(finish, notFlushed(filename, cause3, "Try again"));
      return;
    }
    fs20.fdatasync(wal, (cause3) => {
      if (cause3 !== null) failed ??= notFlushed(filename, cause3, FAILED);
      finish(failed);
    });
  };
  const flush2 = (done7) => {
    waiting.push(done7);
    if (!underWay) next();
  };
  const close2 = Effect26.sync(() => {
    if (wal !== void 0) fs20.closeSync(wal);
  });
  return Effect26.as(
    Effect26.addFinalizer(() => close2),
    flush2
  );
};
var FAILED = "Nothing more that has to be flushed is acknowledged until the log is opened again; check the disk";
var notFlushed = (log4, cause3, advice) => {
  const why = cause3 instanceof Error ? cause3.message : String(cause3);
  const reason2 = `what was appended could not be flushed to the disk (${why}), so that a power failure may lose it. ${advice}`;
  return new LogUnavailable({ log: log4, reason: reason2 });
};

// src/events/sqlite/integrity/verify.ts
import { Effect as Effect40, Either as Either11 } from "effect";

// src/events/sqlite/integrity/checks/blobs.ts
import * as crypto8 from "node:crypto";
import { Effect as Effect28 } from "effect";

// src/events/sqlite/integrity/checks/Check.ts
import { Effect as Effect27 } from "effect";
var MAX_FLAWS = 20;
var flaw = (kind2, position, { what, expected, found, advice = EVIDENCE }) => ({
  position,
  kind: kind2,
  reason: `${what}: expected ${expected}, found ${found}`,
  finding: { severity: "damage", what, expected, found, advice }
});
var EVIDENCE = "Keep the file as evidence, and restore a copy. `hindcast log verify` tells when a copy is sound.";
var REINDEX = 'The chain shows whether events were changed. Restore a copy; or, if the file was not tampered with, let SQLite rebuild the indexes (`sqlite3 FILE "REINDEX"`) and verify the log again.';
var readLog = ({ database }, read5) => attemptRead(database.filename, read5);
var MAX_ATTEMPTS3 = 5;
var repeatWhileArchiving = (stores, check3) => {
  const floor = readLog(stores, () => stores.segments.floor());
  const attempt3 = (attemptsLeft) => Effect27.gen(function* () {
    const before2 = yield* floor;
    const outcome = yield* check3;
    return attemptsLeft === 1 || (yield* floor) === before2 ? outcome : yield* attempt3(attemptsLeft - 1);
  });
  return attempt3(MAX_ATTEMPTS3);
};
var counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// src/events/sqlite/integrity/checks/blobs.ts
var blobs = (stores) => ({
  what: "blobs",
  run: repeatWhileArchiving(
    stores,
    Effect28.gen(function* () {
      const { database, segments } = stores;
      const floor = yield* readLog(stores, () => segments.floor());
      const flaws = [...yield* readLog(stores, () => misplaced2(database, floor))];
      let seen = 0;
      for (let after4 = ""; flaws.length < MAX_FLAWS; ) {
        const [row] = yield* readLog(stores, () => database.rows(NEXT, [after4]));
        if (row === void 0) break;
        const [digest2, content] = row;
        after4 = String(digest2);
        seen += 1;
        if (content instanceof Uint8Array && crypto8.hash("sha256", content, "hex") === digest2) continue;
        flaws.push(wrong(after4, "a text of this digest", "another text"));
        yield* yieldToEventLoop;
      }
      return { told: counted(seen, "blob"), flaws };
    })
  )
});
var NEXT = "SELECT digest, CAST(content AS BLOB) FROM blobs WHERE digest > ? ORDER BY digest LIMIT 1";
var misplaced2 = (database, floor) => database.rows(MISPLACED, [floor, floor, MAX_FLAWS]).map(([digest2, last3, named]) => {
  if (named === null) return wrong(String(digest2), "an event that has it", "none");
  return wrong(String(digest2), `@${named} to be known as the last event that has it`, `@${last3}`);
});
var MISPLACED = `WITH named AS (
    SELECT substr(payload, 7, 64) AS digest, max(position) AS last FROM events NOT INDEXED
    WHERE octet_length(payload) = 71 AND substr(payload, 1, 6) = '"blob:' AND position > ? GROUP BY 1)
  SELECT digest, last_position, named.last FROM blobs LEFT JOIN named USING (digest)
  WHERE (named.last IS NULL AND last_position > ?) OR named.last <> last_position LIMIT ?`;
var wrong = (digest2, expected, found) => flaw("blob changed", null, { what: `blob ${digest2}`, expected, found });

// src/events/sqlite/integrity/checks/counts.ts
import { Effect as Effect29 } from "effect";
var INDEXES = [
  { by: "stream", column: "stream", index: "sqlite_autoindex_events_2", of: "TRUE" },
  { by: "task", column: "task", index: "events_by_task", of: "task IS NOT NULL" },
  { by: "no task", column: "task", index: "events_of_no_task", of: "task IS NULL" },
  { by: "type", column: "type", index: "events_by_type", of: "TRUE" }
];
var counts = (stores) => ({
  what: "counts by stream, task and type",
  run: Effect29.gen(function* () {
    const flaws = [];
    for (const each of yield* readLog(stores, () => INDEXES.filter(({ index }) => isThere(stores.database, index)))) {
      const different = yield* readLog(stores, () => differences2(stores.database, each));
      if (different > 0) flaws.push(miscounted(each.by, different));
      yield* yieldToEventLoop;
    }
    return { told: flaws.length === 0 ? "the same by each index" : "others by an index", flaws };
  })
});
var isThere = (database, index) => database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", [index]).length > 0;
var differences2 = (database, { column, index, of: of7 }) => {
  const [row] = database.rows(
    `SELECT count(*) FILTER (WHERE walked.events IS NOT found.events)
    FROM (SELECT ${column} AS name, count(*) AS events FROM events NOT INDEXED WHERE ${of7} GROUP BY ${column}) walked
    FULL JOIN (SELECT ${column} AS name, count(*) AS events FROM events INDEXED BY ${index} WHERE ${of7} GROUP BY ${column}) found
      ON found.name IS walked.name`
  );
  return Number(row?.[0]);
};
var miscounted = (by2, different) => flaw("index changed", null, {
  what: `index by ${by2}`,
  expected: "as many events by the index as in the table",
  found: `other counts in ${counted(different, "group")}`,
  advice: REINDEX
});

// src/events/sqlite/integrity/checks/internedNames.ts
import { Effect as Effect30 } from "effect";
var PAGE_SIZE5 = 5e3;
var names2 = (stores) => ({
  what: "names",
  run: Effect30.gen(function* () {
    const flaws = [];
    let seen = 0;
    for (let after4 = Number.NEGATIVE_INFINITY; flaws.length < MAX_FLAWS; ) {
      const rows = yield* readLog(stores, () => stores.database.rows(PAGE2, [after4, PAGE_SIZE5]));
      for (const [id, text, bytes] of rows) {
        seen += 1;
        if (!Number.isSafeInteger(id)) flaws.push(beyond(String(text)));
        if (!isExactly(String(text), bytes)) flaws.push(noText(Number(id)));
        after4 = Number(id);
      }
      if (rows.length < PAGE_SIZE5) break;
      yield* yieldToEventLoop;
    }
    return { told: counted(seen, "name"), flaws };
  })
});
var PAGE2 = "SELECT id, text, CAST(text AS BLOB) FROM names WHERE id > ? ORDER BY id LIMIT ?";
var noText = (id) => flaw("name changed", null, { what: `name ${id}`, expected: "text in UTF-8", found: "other bytes" });
var beyond = (text) => flaw("name changed", null, {
  what: `name ${JSON.stringify(text)}`,
  expected: "a number below 2^53",
  found: "a greater one: events that use the name are not found by it"
});

// src/events/sqlite/integrity/checks/keys.ts
import * as fs21 from "node:fs";
import { Effect as Effect31, Either as Either9 } from "effect";
var PAGE_SIZE6 = 5e3;
var ARCHIVED_PAGE_SIZE = 1e3;
var keys5 = (stores) => ({
  what: "keys",
  run: repeatWhileArchiving(
    stores,
    Effect31.gen(function* () {
      const subjects = yield* Effect31.either(readKeys(stores, () => stores.keys.subjects()));
      if (Either9.isLeft(subjects)) return yield* unreadable2(stores, subjects.left);
      const unrecorded = new Set(subjects.right.filter(({ shredding }) => shredding).map(({ keyId }) => keyId));
      const firstUses = yield* firstEvents(stores);
      const flaws = [];
      const missing2 = [];
      let shredded = 0;
      for (const first2 of firstUses.values()) {
        const key = yield* readKeys(stores, () => stores.keys.find(first2.keyId));
        if (key !== void 0) {
          if (flaws.length < MAX_FLAWS) flaws.push(...yield* readLog(stores, () => decryptionFlaws(stores, first2)));
        } else if (unrecorded.has(first2.keyId) || (yield* readLog(stores, () => isShredded(stores, first2.keyId))))
          shredded += 1;
        else missing2.push(first2);
        yield* yieldToEventLoop;
      }
      const told = firstUses.size === 0 ? "none" : summaryOf(firstUses.size, shredded, missing2.length);
      return {
        told,
        flaws,
        notes: missing2.length === 0 ? [] : [missingKeysFinding(stores, missing2)]
      };
    })
  )
});
var readKeys = ({ keys: keys6 }, read5) => attemptRead(keys6.name, read5);
var firstEvents = (stores) => Effect31.gen(function* () {
  const { database, segments } = stores;
  const firstUses = /* @__PURE__ */ new Map();
  const add8 = (keyId, position) => {
    if (!firstUses.has(keyId)) firstUses.set(keyId, { keyId, position });
  };
  for (let after4 = 0; ; ) {
    const rows = yield* readLog(
      stores,
      () => after4 < segments.floor() ? segments.page({ after: after4 }, ARCHIVED_PAGE_SIZE) : []
    );
    const last3 = rows.at(-1);
    if (last3 === void 0) break;
    for (const { link: link2, keyId } of rows) if (keyId !== null) add8(keyId, link2.position);
    after4 = last3.link.position;
    yield* yieldToEventLoop;
  }
  const [[first2, head5] = []] = yield* readLog(stores, () => database.rows(BOUNDS));
  for (let after4 = Number(first2) - 1; first2 !== null && after4 < Number(head5); after4 += PAGE_SIZE6) {
    const rows = yield* readLog(stores, () => database.rows(NAMED2, [after4, after4 + PAGE_SIZE6]));
    for (const [keyId, position] of rows) add8(String(keyId), Number(position));
    yield* yieldToEventLoop;
  }
  return firstUses;
});
var BOUNDS = "SELECT min(position), max(position) FROM events";
var NAMED2 = `SELECT (SELECT text FROM names WHERE id = key_id), min(position) FROM events
  WHERE position > ? AND position <= ? AND key_id IS NOT NULL GROUP BY key_id ORDER BY 2`;
var decryptionFlaws = (stores, { keyId, position }) => {
  const { database, segments } = stores;
  const archived2 = position <= segments.floor() ? segments.page({ after: position - 1, until: position }, 1)[0] : void 0;
  const [row = []] = archived2 === void 0 ? database.rows(EVENT, [position]) : [[archived2.link.id, archived2.payload]];
  const blob = (digest2) => readBlob(database, digest2) ?? segments.blob(digest2);
  try {
    read3({ blob, keys: stores.keys }, uuidOf4(String(row[0])), { payload: String(row[1]), keyId });
    return [];
  } catch (cause3) {
    return [
      flaw("key changed", position, {
        what: `key ${keyId} in ${stores.keys.name}`,
        expected: `the one that encrypted personal data of @${position}`,
        found: cause3 instanceof Error ? cause3.message : String(cause3),
        advice: `Restore ${stores.keys.name} from a copy. Until then, events whose personal data this key is for cannot be read.`
      })
    ];
  }
};
var EVENT = "SELECT lower(hex(id)), payload FROM events WHERE position = ?";
var uuidOf4 = (id) => id.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, "$1-$2-$3-$4-$5");
var isShredded = ({ database, segments }, keyId) => database.rows(SHREDDED2, [`key/${keyId}`]).length > 0 || segments.floor() > 0 && segments.page({ stream: `key/${keyId}`, types: ["PayloadShredded"] }, 1).length > 0;
var SHREDDED2 = `SELECT 1 FROM events WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND type = (SELECT id FROM names WHERE text = 'PayloadShredded') LIMIT 1`;
var summaryOf = (keyCount, shredded, missing2) => {
  const parts3 = [`${counted(keyCount, "key")} of personal data`];
  if (shredded > 0) parts3.push(`${shredded} shredded`);
  if (missing2 > 0)
    parts3.push(
      `${missing2} missing without having been shredded: the data that they encrypted reads as if it were shredded`
    );
  return parts3.join(", ");
};
var missingKeysFinding = ({ keys: keys6 }, missing2) => ({
  severity: "warning",
  what: "keys",
  expected: `every key that was not shredded, in ${keys6.name}`,
  found: `${missing2.length} missing, such as ${missing2[0]?.keyId}, which @${missing2[0]?.position} names`,
  advice: `Restore ${keys6.name} from a copy. Without these keys, the personal data of their events reads as if it were shredded. Where the log was copied without its keys on purpose, there is nothing to do.`
});
var unreadable2 = ({ keys: keys6 }, error2) => {
  if (error2._tag !== "LogUnavailable") return Effect31.fail(error2);
  if (!mayRead(keys6.name)) return Effect31.succeed({ told: error2.message, flaws: [], looked: false });
  const found = flaw("key changed", null, {
    what: `key file ${keys6.name}`,
    expected: "a key file that can be read",
    found: error2.reason,
    advice: `Restore ${keys6.name} from a copy. Until then, events with personal data cannot be read or appended.`
  });
  return Effect31.succeed({ told: "cannot be read", flaws: [found] });
};
var mayRead = (file) => {
  try {
    fs21.accessSync(file, fs21.constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

// src/events/sqlite/integrity/checks/pages.ts
import { Effect as Effect32 } from "effect";

// src/events/sqlite/integrity/fileFindings.ts
var LARGE_WAL_BYTES = 128 * 1024 * 1024;
var LITTLE_SPACE_BYTES = 256 * 1024 * 1024;
var RECOVERY = "Stop what uses the log and copy the file together with its -wal and -shm before anything else. Then restore the last good copy, or save what can be read into a new file (`sqlite3 FILE .recover | sqlite3 NEW`); `hindcast log verify` says up to which position a file is sound.";

// src/events/sqlite/integrity/checks/pages.ts
var pages3 = (stores) => ({
  what: "pages and indexes",
  run: Effect32.map(
    readLog(stores, () => pageFaults(stores.database)),
    (flaws) => ({ told: "SQLite's integrity_check", flaws })
  )
});
var pageFaults = (database, what = "pages") => {
  const faults = database.rows(`PRAGMA integrity_check(${MAX_FLAWS})`).map(([fault]) => String(fault));
  if (faults.length === 1 && faults[0] === "ok") return [];
  return faults.map(
    (found) => flaw("pages damaged", null, {
      ...{ what, expected: "nothing amiss by SQLite's integrity_check", found, advice: RECOVERY }
    })
  );
};

// src/events/sqlite/integrity/checks/schema.ts
import { Effect as Effect33 } from "effect";

// src/events/sqlite/integrity/schemaFindings.ts
var schemaFindings = (database, empty29) => {
  for (const statement of LOG_TABLES) empty29.run(statement);
  const expected = entries2(empty29);
  for (const statement of CACHE_TABLES) empty29.run(statement);
  const known = entries2(empty29);
  const found = entries2(database);
  return [
    ...[...expected].flatMap(([name, entry]) => compare(name, entry, found.get(name))),
    ...[...known].flatMap(
      ([name, entry]) => (
        // Cache tables may be missing; those that exist must be as Hindcast creates them.
        expected.has(name) || !found.has(name) ? [] : compare(name, entry, found.get(name))
      )
    ),
    ...[...found].flatMap(([name, entry]) => known.has(name) ? [] : unknown(name, entry))
  ];
};
var entries2 = (database) => new Map(
  database.rows("SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL").map(([name, kind2, table, sql]) => [
    String(name),
    { kind: String(kind2), table: String(table), sql: onOneLine(String(sql)) }
  ])
);
var ADVICE = "Whoever did that could change events: run `hindcast log verify`, with an anchor if there is one, or restore a copy.";
var compare = (name, expected, found) => {
  if (found?.sql === expected.sql && found.kind === expected.kind && found.table === expected.table) return [];
  return [
    {
      severity: "damage",
      what: `${expected.kind} ${name}`,
      expected: expected.sql,
      found: found === void 0 ? "none: it was dropped" : `${found.kind} of ${found.table}: ${found.sql}`,
      advice: found === void 0 && expected.kind !== "table" ? `${ADVICE} Where the chain is intact, the statement above puts it back (sqlite3 FILE "STATEMENT").` : ADVICE
    }
  ];
};
var unknown = (name, { kind: kind2, sql }) => [
  {
    severity: kind2 === "trigger" ? "damage" : "note",
    what: `${kind2} ${name}`,
    expected: "only what Hindcast makes",
    found: sql,
    advice: kind2 === "trigger" ? `A trigger can change what is written. ${ADVICE} Where the chain is intact: DROP TRIGGER ${name}.` : "Another program put it into the log's file. Hindcast does not use it; keep such things in a file of their own."
  }
];

// src/events/sqlite/integrity/checks/schema.ts
var schema = (stores) => ({
  what: "tables and triggers",
  run: Effect33.gen(function* () {
    const empty29 = yield* temporaryDatabase;
    const findings = yield* readLog(stores, () => schemaFindings(stores.database, empty29));
    const flaws = findings.filter(({ severity }) => severity === "damage").map((finding) => ({
      ...{ position: null, kind: "schema changed", finding },
      reason: `${finding.what}: expected ${finding.expected}, found ${finding.found}`
    }));
    return {
      told: "those that Hindcast makes",
      flaws,
      notes: findings.filter(({ severity }) => severity !== "damage")
    };
  }).pipe(Effect33.scoped)
});

// src/events/sqlite/integrity/checks/segmentFiles.ts
import * as fs22 from "node:fs";
import { Effect as Effect35 } from "effect";

// src/events/sqlite/integrity/checks/archived.ts
var archivedIn = (scratch) => {
  for (const statement of TABLES2) scratch.run(statement);
  return {
    add: (rows, retained, floor) => {
      scratch.run("BEGIN");
      const flaws = rows.flatMap((row) => [...versionFlaws(scratch, row), ...idFlaws(scratch, retained, floor, row)]);
      scratch.run("COMMIT");
      return flaws;
    },
    streamsAfter: (last3, limit) => scratch.rows(STREAMS, [last3?.timeline ?? "", last3?.stream ?? "", limit]).map((row) => ({
      ...{ timeline: String(row[0]), stream: String(row[1]), version: Number(row[2]) }
    })),
    streams: () => Number(scratch.rows("SELECT count(*) FROM streams")[0]?.[0])
  };
};
var TABLES2 = [
  "CREATE TEMP TABLE streams (timeline TEXT, stream TEXT, version INTEGER, PRIMARY KEY (timeline, stream)) WITHOUT ROWID",
  "CREATE TEMP TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID"
];
var STREAMS = "SELECT timeline, stream, version FROM streams WHERE (timeline, stream) > (?, ?) ORDER BY timeline, stream LIMIT ?";
var versionFlaws = (scratch, { link: link2 }) => {
  const { timeline, stream: stream2, version, position } = link2;
  const [row] = scratch.rows("SELECT version FROM streams WHERE timeline = ? AND stream = ?", [timeline, stream2]);
  const expected = Number(row?.[0] ?? 0) + 1;
  scratch.run("INSERT OR REPLACE INTO streams VALUES (?, ?, ?)", [timeline, stream2, version]);
  if (version === expected) return [];
  return [
    flaw("version changed", position, {
      what: `stream ${stream2} at @${position}`,
      expected: `version ${expected}`,
      found: `version ${version}`
    })
  ];
};
var idFlaws = (scratch, retained, floor, { link: link2 }) => {
  const { id, position } = link2;
  const isNew = scratch.run("INSERT OR IGNORE INTO ids VALUES (?)", [id]) === 1;
  const [other] = retained.rows("SELECT position FROM events WHERE id = ? AND position > ?", [bytesOf(id), floor]);
  if (isNew && other === void 0) return [];
  return [
    flaw("id repeated", position, {
      what: `id ${id}`,
      expected: "one event of this id",
      found: other === void 0 ? `another archived before @${position}` : `@${position} and @${other[0]}`
    })
  ];
};
var PAGE_SIZE7 = 1e3;
var streamFlaws = (database, archived2) => {
  const flaws = [];
  const [[known] = []] = database.rows("SELECT count(*) FROM archived_streams");
  if (known !== archived2.streams())
    flaws.push(wrong2("the list of archived streams", `${archived2.streams()} of them`, String(known)));
  for (let last3; flaws.length < MAX_FLAWS; ) {
    const page = archived2.streamsAfter(last3, PAGE_SIZE7);
    for (const { stream: stream2, timeline, version } of page) {
      const [row] = database.rows(KNOWN, [stream2, timeline]);
      if (row?.[0] !== version)
        flaws.push(
          wrong2(`archived stream ${stream2}`, `version ${version}`, row === void 0 ? "none" : String(row[0]))
        );
    }
    last3 = page.at(-1);
    if (page.length < PAGE_SIZE7) break;
  }
  return flaws;
};
var KNOWN = `SELECT version FROM archived_streams WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND timeline = (SELECT id FROM names WHERE text = ?)`;
var wrong2 = (what, expected, found) => flaw("archive changed", null, { what, expected, found });

// src/events/sqlite/integrity/checks/segmentFlaws.ts
import { Effect as Effect34 } from "effect";
var segmentFlaws = (segment) => Effect34.gen(function* () {
  const { database, expected, from } = segment;
  const wrong3 = wrongIn(expected);
  const flaws = [];
  const step4 = (what, run) => reportingFailure(segment, what, run, (found) => flaws.push(found));
  yield* step4("pages", () => flaws.push(...pageFaults(database, `pages of ${expected.file}`)));
  yield* Effect34.scoped(
    Effect34.flatMap(
      temporaryDatabase,
      (empty29) => step4("tables", () => flaws.push(...tableFlaws(segment, empty29)))
    )
  );
  const progress = { head: from, indexed: 0, blobs: /* @__PURE__ */ new Set(), lowest: "", highest: "" };
  for (let after4 = Number.NEGATIVE_INFINITY; flaws.length < MAX_FLAWS; ) {
    const block = yield* step4("its blocks", () => database.rows(NEXT_BLOCK, [after4])[0]);
    if (block === void 0) break;
    after4 = Number(block[0]);
    yield* step4(`the block at @${after4}`, () => flaws.push(...blockFlaws(segment, progress, block)));
    yield* yieldToEventLoop;
  }
  if (flaws.length > 0) return flaws.slice(0, MAX_FLAWS);
  if (progress.head.position !== expected.last || progress.head.hash !== expected.hash)
    flaws.push(wrong3("its events", `those up to @${expected.last}`, `others, or up to @${progress.head.position}`));
  if (progress.lowest !== expected.lowestId || progress.highest !== expected.highestId)
    flaws.push(wrong3("its lowest and highest ids", `${progress.lowest} and ${progress.highest}`, "others in the log"));
  yield* step4("indexes", () => flaws.push(...totalFlaws(segment, progress)));
  yield* step4("blobs", () => flaws.push(...blobFlaws(segment, progress)));
  return flaws;
});
var NEXT_BLOCK = "SELECT first, last, content FROM blocks WHERE first > ? ORDER BY first LIMIT 1";
var reportingFailure = ({ stores, expected }, what, run, report) => Effect34.sync(() => {
  try {
    return run();
  } catch (cause3) {
    const reason2 = cause3 instanceof Error ? cause3.message : String(cause3);
    report(wrongIn(expected)(`${what}, in ${stores.database.filename}.segments`, "what can be read", reason2));
    return void 0;
  }
});
var wrongIn = ({ file }) => (what, expected, found, position = null) => flaw("archive changed", position, { what: `segment ${file}: ${what}`, expected, found });
var tableFlaws = ({ database, expected, from }, empty29) => {
  const wrong3 = wrongIn(expected);
  for (const statement of TABLES) empty29.run(statement);
  const [made, found] = [empty29, database].map(
    (each) => each.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").map((row2) => row2.join(" "))
  );
  const own = { ...expected, previous: from.hash };
  const [row, ...others] = database.rows("SELECT first, last, previous_hash, hash FROM segment");
  const says = [own.first, own.last, own.previous, own.hash];
  return [
    ...JSON.stringify(made) === JSON.stringify(found) ? [] : [wrong3("its tables", "those of a segment", "others")],
    ...others.length === 0 && JSON.stringify(row) === JSON.stringify(says) ? [] : [wrong3("what it says of itself", says.join(", "), row?.join(", ") ?? "nothing")]
  ];
};
var blockFlaws = (segment, progress, [first2, last3, content]) => {
  const { database, expected, archived: archived2, stores } = segment;
  const wrong3 = wrongIn(expected);
  const rows = unpackBlock(content);
  const from = progress.head;
  progress.head = walk(from, rows);
  const at2 = progress.head.position;
  if (first2 !== from.position + 1 || last3 !== at2 || at2 !== from.position + rows.length)
    return [wrong3("its events", `those that follow @${from.position}, and no others`, "others", at2 + 1)];
  for (const { payload, link: link2 } of rows) {
    const digest2 = digestIn(payload);
    if (digest2 !== void 0) progress.blobs.add(digest2);
    const id = link2.id.replaceAll("-", "");
    if (progress.lowest === "" || id < progress.lowest) progress.lowest = id;
    if (id > progress.highest) progress.highest = id;
  }
  const names3 = new Set(rows.flatMap(namesOf));
  progress.indexed += names3.size;
  const unnamed = [...names3].filter((name) => database.rows(BLOCK_OF, [first2, name]).length === 0);
  return [
    ...unnamed.map((name) => wrong3(`its index of names, for ${name}`, `the block at @${first2}`, "none")),
    ...rows.flatMap(({ link: link2 }) => {
      const [[position] = []] = database.rows("SELECT position FROM ids WHERE id = ?", [link2.id]);
      if (position === link2.position) return [];
      return [wrong3(`its index of ids, for ${link2.id}`, `@${link2.position}`, String(position ?? "none"), link2.position)];
    }),
    ...archived2.add(rows, stores.database, stores.segments.floor())
  ];
};
var BLOCK_OF = "SELECT 1 FROM block_names WHERE block = ? AND name = (SELECT id FROM names WHERE text = ?)";
var totalFlaws = ({ database, expected }, { indexed }) => {
  const wrong3 = wrongIn(expected);
  const [[names3, ids3] = []] = database.rows("SELECT (SELECT count(*) FROM block_names), (SELECT count(*) FROM ids)");
  const events = expected.last - expected.first + 1;
  return [
    ...names3 === indexed ? [] : [wrong3("its index of names", `${indexed} entries`, String(names3))],
    ...ids3 === events ? [] : [wrong3("its index of ids", `${events} entries`, String(ids3))]
  ];
};
var blobFlaws = ({ database, expected }, { blobs: blobs2 }) => {
  const wrong3 = wrongIn(expected);
  const [[count] = []] = database.rows("SELECT count(*) FROM blobs");
  return [
    ...count === blobs2.size ? [] : [wrong3("its blobs", `${blobs2.size} of them`, String(count))],
    ...[...blobs2].flatMap((digest2) => {
      const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest2]);
      if (row !== void 0 && sha256(unpack(row[0])) === digest2) return [];
      return [wrong3(`blob ${digest2}`, "a text of this digest", row === void 0 ? "none" : "another text")];
    })
  ];
};

// src/events/sqlite/integrity/checks/segmentFiles.ts
var segmentFiles = (stores) => ({
  what: "segments",
  run: repeatWhileArchiving(
    stores,
    Effect35.gen(function* () {
      const list = yield* readLog(stores, () => stores.database.rows(LIST).map(expectedOf));
      const flaws = [];
      const archived2 = archivedIn(yield* temporaryDatabase);
      let end3 = { position: 0, hash: GENESIS };
      for (const segment of list) {
        if (segment.first !== end3.position + 1) flaws.push(gap2(end3, segment));
        flaws.push(...yield* checkSegment(stores, segment, end3, archived2));
        end3 = { position: segment.last, hash: segment.hash };
        yield* yieldToEventLoop;
      }
      flaws.push(...yield* readLog(stores, () => streamFlaws(stores.database, archived2)));
      const told = list.length === 0 ? "none" : `${counted(list.length, "file")} up to @${end3.position}`;
      return { told, flaws };
    }).pipe(Effect35.scoped)
  )
});
var checkSegment = (stores, expected, from, archived2) => Effect35.acquireUseRelease(
  readLog(stores, () => connect3(stores.database.filename, expected)),
  (database) => segmentFlaws({ stores, database, expected, from, archived: archived2 }),
  (database) => Effect35.sync(() => database.close())
);
var connect3 = (log4, { first: first2, last: last3, file }) => {
  const filename = fileOf(log4, file);
  const unavailable4 = (reason2) => new SegmentUnavailable({ log: log4, first: first2, last: last3, file: filename, reason: reason2 });
  if (!fs22.existsSync(filename)) throw unavailable4("the file is not there");
  try {
    return connect(filename, { readonly: true });
  } catch (cause3) {
    throw unavailable4(`it cannot be read (${String(cause3)})`);
  }
};
var LIST = `SELECT first, last, file, lower(hex(hash)), lower(hex(lowest_id)), lower(hex(highest_id)) FROM segments
  ORDER BY first`;
var expectedOf = ([first2, last3, file, hash7, lowestId, highestId]) => ({
  first: Number(first2),
  last: Number(last3),
  file: String(file),
  hash: String(hash7),
  lowestId: String(lowestId),
  highestId: String(highestId)
});
var gap2 = ({ position }, { first: first2, file }) => flaw("archive changed", null, {
  what: `segment ${file}`,
  expected: `segments without a gap: this one from @${position + 1}`,
  found: `from @${first2}`
});

// src/events/sqlite/integrity/checks/snapshots.ts
import * as crypto10 from "node:crypto";
import { Effect as Effect37, Either as Either10 } from "effect";

// src/events/sqlite/keys/snapshotSeal.ts
import * as crypto9 from "node:crypto";
var MARK_BYTES = 8;
var MAC_BYTES = 32;
var CONTEXT = "hindcast snapshot 1";
var seal = (key, claim) => Buffer.concat([markOf(key), macOf(key, claim)]);
var originOf = (key, claim, sealed) => {
  if (sealed.length !== MARK_BYTES + MAC_BYTES) return "foreign";
  if (crypto9.timingSafeEqual(sealed.subarray(MARK_BYTES), macOf(key, claim))) return "own";
  return crypto9.timingSafeEqual(sealed.subarray(0, MARK_BYTES), markOf(key)) ? "changed" : "foreign";
};
var joinSeal = ({ seal: seal2, root }) => Buffer.concat([seal2, root]);
var splitSeal = (column) => ({
  seal: column.subarray(0, MARK_BYTES + MAC_BYTES),
  root: column.subarray(MARK_BYTES + MAC_BYTES)
});
var markOf = (key) => crypto9.createHmac("sha256", key).update("mark of the key").digest().subarray(0, MARK_BYTES);
var macOf = (key, claim) => {
  const { fingerprint, timeline, epoch, position, eventHash, stateHash } = claim;
  const fields = [CONTEXT, fingerprint, timeline, epoch, position, eventHash, stateHash];
  return crypto9.createHmac("sha256", key).update(JSON.stringify(fields)).digest();
};

// src/events/sqlite/snapshots.ts
import { Effect as Effect36, Option as Option10 } from "effect";
var make52 = (stores) => {
  const { reader, writer } = stores;
  const refusal = Effect36.fail(new LogUnavailable({ log: reader.filename, reason: "it was opened for reading only" }));
  const writing = writer === void 0 ? { save: () => refusal, forget: () => refusal, drop: refusal } : writeTo(writer, stores);
  return Snapshots.of({ ...readFrom(stores), ...writing });
};
var readFrom = ({ reader: database, upcastVersions, keys: keys6, ownKey }) => {
  const attempt3 = (read5) => attemptRead(database.filename, read5);
  return {
    upcastVersions,
    epoch: attempt3(() => keys6.ofSnapshots()?.id ?? ""),
    nearest: (series, at2) => attempt3(() => {
      const own = ownKey.find();
      if (own === void 0) return Option10.none();
      const [row] = database.rows(NEAREST, [nameOf2(series), series.timeline, at2]);
      return row === void 0 ? Option10.none() : Option10.some(foundIn(row, series, own, keys6.ofSnapshots()));
    }),
    parts: (series, digests) => attempt3(() => {
      const key = keys6.ofSnapshots();
      const found = database.rows(PARTS2, [JSON.stringify(digests), `${nameOf2(series)}/`]);
      return new Map(found.map(([digest2, content]) => [String(digest2), decryptPart(key, String(digest2), content)]));
    }),
    missing: (series, digests) => attempt3(() => {
      const missing2 = database.rows(MISSING, [JSON.stringify(digests), `${nameOf2(series)}/`]);
      return new Set(missing2.map(([digest2]) => String(digest2)));
    })
  };
};
var writeTo = (database, { keys: keys6, ownKey }) => {
  const transaction2 = (body) => attempt(database.filename, () => {
    database.run("BEGIN IMMEDIATE");
    try {
      for (const statement of SNAPSHOT_TABLES) database.run(statement);
      body();
      database.run("COMMIT");
    } catch (cause3) {
      if (database.inTransaction()) database.run("ROLLBACK");
      throw cause3;
    }
  }).pipe(Effect36.catchTag("LogBusy", () => new LogBusy({ log: database.filename, waitedMs: 0 })));
  return {
    save: (series, snapshot, parts3) => transaction2(() => {
      const { projection, timeline, epoch } = series;
      const key = keys6.ofSnapshots();
      if ((key?.id ?? "") !== epoch) return;
      const own = ownKey.make();
      if (own === void 0) return;
      const name = nameOf2(series);
      const isFirst = database.rows(ANY, [name]).length === 0;
      for (const [digest2, content] of parts3) {
        database.run(SAVE_PART, [`${name}/${digest2}`, encryptPart(key, digest2, content)]);
      }
      const { position, eventHash, stateHash, root } = snapshot;
      const seal2 = seal(own, { ...series, ...snapshot });
      const stored = joinSeal({ seal: seal2, root: encryptPart(key, stateHash, root) });
      database.run(SAVE, [projection, name, timeline, position, eventHash, stateHash, stored]);
      if (isFirst) forgetOutlived(database);
    }),
    forget: (series, position) => transaction2(() => database.run(FORGET, [nameOf2(series), series.timeline, position])),
    drop: transaction2(() => {
      database.run("DELETE FROM snapshots");
      database.run("DELETE FROM snapshot_parts");
    })
  };
};
var NEAREST = `SELECT position, event_hash, state_hash, root FROM snapshots
  WHERE fingerprint = ? AND timeline = ? AND position <= ? ORDER BY position DESC LIMIT 1`;
var ANY = "SELECT 1 FROM snapshots WHERE fingerprint = ? LIMIT 1";
var PARTS2 = "SELECT wanted.value, content FROM json_each(?) AS wanted JOIN snapshot_parts ON digest = ? || wanted.value";
var MISSING = "SELECT value FROM json_each(?) WHERE ? || value NOT IN (SELECT digest FROM snapshot_parts)";
var SAVE_PART = "INSERT OR REPLACE INTO snapshot_parts (digest, content) VALUES (?, ?)";
var SAVE = `INSERT OR REPLACE INTO snapshots
  (projection, fingerprint, timeline, position, event_hash, state_hash, root) VALUES (?, ?, ?, ?, ?, ?, ?)`;
var FORGET = "DELETE FROM snapshots WHERE fingerprint = ? AND timeline = ? AND position = ?";
var foundIn = (row, series, own, key) => {
  const [position, eventHash, stateHash] = [Number(row[0]), String(row[1]), String(row[2])];
  const { seal: seal2, root } = splitSeal(row[3] instanceof Uint8Array ? row[3] : NO_BYTES);
  return {
    position,
    eventHash,
    stateHash,
    root: decryptPart(key, stateHash, root),
    authentic: originOf(own, { ...series, position, eventHash, stateHash }, seal2) === "own"
  };
};
var nameOf2 = ({ fingerprint, epoch }) => epoch === "" ? fingerprint : `${epoch}/${fingerprint}`;
var seriesOf = (name) => {
  const at2 = name.indexOf("/");
  return { epoch: name.slice(0, Math.max(0, at2)), fingerprint: name.slice(at2 + 1) };
};
var forgetOutlived = (database) => {
  const known = database.rows(SERIES).map(([name, projection]) => ({ name, projection: String(projection) }));
  for (const { name } of seriesToDelete(known)) {
    database.run("DELETE FROM snapshots WHERE fingerprint = ?", [name]);
    database.run("DELETE FROM snapshot_parts WHERE digest >= ? || '/' AND digest < ? || '0'", [name, name]);
  }
};
var SERIES = `SELECT fingerprint, projection
  FROM (SELECT max(rowid) AS newest FROM snapshots GROUP BY fingerprint) JOIN snapshots ON snapshots.rowid = newest
  ORDER BY newest DESC`;
var encryptPart = (key, digest2, content) => key === void 0 ? content : encryptFields(key, digest2, content);
var decryptPart = (key, digest2, stored) => {
  if (!(stored instanceof Uint8Array)) return NO_BYTES;
  return key === void 0 ? stored : decryptFields(key, digest2, stored) ?? NO_BYTES;
};
var NO_BYTES = new Uint8Array();

// src/events/sqlite/integrity/checks/snapshots.ts
var snapshots = (stores) => ({
  what: "snapshots",
  run: Effect37.gen(function* () {
    const { database, ownKey, keys: keys6 } = stores;
    const made = yield* readLog(stores, () => database.rows(TABLES3).length === 2);
    if (!made) return { told: "none", flaws: [] };
    const own = yield* readLog(stores, () => ownKey.find());
    const found = yield* Effect37.either(readKeys(stores, () => keys6.ofSnapshots()));
    if (Either10.isLeft(found)) {
      return { told: `left out, because ${keys6.name} cannot be read`, flaws: [], looked: false };
    }
    const encrypting = found.right;
    const [[all4] = []] = yield* readLog(stores, () => database.rows("SELECT count(*) FROM snapshots"));
    if (own === void 0 && all4 !== 0) {
      const left3 = `${counted(Number(all4), "snapshot")} ${all4 === 1 ? "is" : "are"} not used`;
      const told2 = `no key (<log>.snapshot-key) to tell by; without it ${left3}`;
      return { told: told2, flaws: [], looked: false };
    }
    const flaws = [];
    let foreign = 0;
    for (let after4; own !== void 0 && flaws.length < MAX_FLAWS; ) {
      const [row] = yield* readLog(
        stores,
        () => after4 === void 0 ? database.rows(FIRST) : database.rows(NEXT2, [after4])
      );
      if (row === void 0) break;
      after4 = row[0];
      const found2 = yield* readLog(stores, () => checkSnapshot(stores, row, own, encrypting));
      if (found2 === "foreign") foreign += 1;
      else flaws.push(...found2);
      yield* yieldToEventLoop;
    }
    flaws.push(...yield* parts2(stores, encrypting));
    const others = foreign === 0 ? "" : `, ${foreign} of them not sealed with this log's key and not used`;
    const told = all4 === 0 ? "none" : `${counted(Number(all4), "snapshot")}, by their seals${others}`;
    return { told, flaws };
  })
});
var TABLES3 = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name IN ('snapshots', 'snapshot_parts')";
var ROWS = "SELECT CAST(rowid AS TEXT), fingerprint, timeline, position, event_hash, state_hash, root FROM snapshots";
var FIRST = `${ROWS} ORDER BY rowid LIMIT 1`;
var NEXT2 = `${ROWS} WHERE rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT 1`;
var checkSnapshot = (stores, row, own, encrypting) => {
  const position = Number(row[3]);
  const [eventHash, stateHash] = [String(row[4]), String(row[5])];
  const { seal: seal2, root } = splitSeal(row[6] instanceof Uint8Array ? row[6] : new Uint8Array());
  const claim = { ...seriesOf(String(row[1])), timeline: String(row[2]), position, eventHash, stateHash };
  const origin = originOf(own, claim, seal2);
  if (origin === "foreign") return "foreign";
  if (origin === "changed") return [changed2(position, "its seal does not match its content")];
  if (isReadable(claim.epoch, encrypting) && digestOf(decryptPart(encrypting, stateHash, root)) !== stateHash)
    return [changed2(position, "its state is not the one that was sealed")];
  return eventHash === hashAt(stores.database, stores.segments, position) ? [] : [rewritten2(position)];
};
var isReadable = (epoch, encrypting) => epoch === (encrypting?.id ?? "");
var parts2 = (stores, encrypting) => Effect37.gen(function* () {
  const flaws = [];
  for (let after4 = ""; flaws.length < MAX_FLAWS; ) {
    const [row] = yield* readLog(stores, () => stores.database.rows(NEXT_PART, [after4]));
    if (row === void 0) break;
    after4 = String(row[0]);
    const at2 = after4.lastIndexOf("/");
    const [series, digest2] = [after4.slice(0, at2), after4.slice(at2 + 1)];
    if (!isReadable(seriesOf(series).epoch, encrypting)) continue;
    if (digestOf(decryptPart(encrypting, digest2, row[1])) !== digest2)
      flaws.push(changed2(null, `a part does not have the digest in its name: ${digest2}`));
    yield* yieldToEventLoop;
  }
  return flaws;
});
var NEXT_PART = "SELECT digest, content FROM snapshot_parts WHERE digest > ? ORDER BY digest LIMIT 1";
var digestOf = (bytes) => crypto10.hash("sha256", bytes, "hex");
var changed2 = (position, found) => flaw("snapshot changed", position, {
  what: position === null ? "snapshots" : `snapshot at @${position}`,
  expected: "what a program with this log's key stored",
  found,
  advice: "It is never used, and the next program that finds it deletes it. Whoever changed it could write to the log's file: find out who that was."
});
var rewritten2 = (position) => flaw("head changed", position, {
  what: `snapshot at @${position}`,
  expected: "the event that it was taken of",
  found: "another event there, or none: the log was rewritten or its last events were removed after the snapshot was taken"
});

// src/events/sqlite/integrity/checks/strayRows.ts
import { Effect as Effect38 } from "effect";
var PAGE_SIZE8 = 1e3;
var strays = (stores) => ({
  what: "rows outside of the chain",
  run: repeatWhileArchiving(
    stores,
    Effect38.gen(function* () {
      const { database, segments } = stores;
      const flaws = [];
      const page = retainedRows2(database);
      const floor = yield* readLog(stores, () => segments.floor());
      let left3 = 0;
      for (let after4 = Number.NEGATIVE_INFINITY; after4 < floor && flaws.length < MAX_FLAWS; ) {
        const rows = yield* readLog(stores, () => page(after4, PAGE_SIZE8).filter(({ link: link2 }) => link2.position <= floor));
        const last3 = rows.at(-1);
        if (last3 === void 0) break;
        flaws.push(...yield* readLog(stores, () => rows.flatMap((row) => strayFlaws(stores, row))));
        left3 += rows.length;
        after4 = last3.link.position;
        yield* yieldToEventLoop;
      }
      return { told: left3 === 0 ? "none" : `${counted(left3, "event")} that archiving left behind`, flaws };
    })
  )
});
var strayFlaws = ({ segments }, row) => {
  const { position } = row.link;
  const [archived2] = position < 1 ? [] : segments.page({ after: position - 1, until: position }, 1);
  if (archived2 !== void 0 && textOf3(archived2) === textOf3(row)) return [];
  return [
    flaw("event inserted", position, {
      what: `a row at @${position}`,
      expected: position < 1 ? "none before @1" : "none where events were archived, or the one that was",
      found: "another"
    })
  ];
};
var textOf3 = ({ link: link2, payload, keyId, hash: hash7 }) => {
  const { position, id, timeline, stream: stream2, version, type, schemaVersion, taskId, causationId, actor } = link2;
  const named = [position, id, timeline, stream2, version, type, schemaVersion, taskId, causationId, actor];
  return JSON.stringify([...named, link2.occurredAt, link2.recordedAt, payload, keyId, hash7]);
};

// src/events/sqlite/integrity/checks/versions.ts
import { Effect as Effect39 } from "effect";
var PAGE_SIZE9 = 5e3;
var versions = (stores) => ({
  what: "versions",
  run: repeatWhileArchiving(
    stores,
    Effect39.gen(function* () {
      const { database, segments } = stores;
      const flaws = [];
      const floor = yield* readLog(stores, () => segments.floor());
      let last3 = { stream: -1, timeline: -1, version: 0, position: 0 };
      let streams = 0;
      for (let size9 = PAGE_SIZE9; size9 === PAGE_SIZE9 && flaws.length < MAX_FLAWS; ) {
        const page = yield* readLog(stores, () => {
          const rows = after3(database, last3);
          for (const row of rows) {
            const goesOn = row.stream === last3.stream && row.timeline === last3.timeline;
            if (!goesOn) streams += 1;
            if (row.position > floor) {
              const before2 = goesOn && last3.position > floor ? last3 : archived(database, row, floor);
              if (row.version !== before2.version + 1 || row.position <= before2.position)
                flaws.push(outOfSequence(database, row, before2));
            }
            last3 = row;
          }
          return rows.length;
        });
        size9 = page;
        yield* yieldToEventLoop;
      }
      return { told: counted(streams, "stream"), flaws };
    })
  )
});
var after3 = (database, { stream: stream2, timeline, version }) => database.rows(PAGE3, [stream2, timeline, version, PAGE_SIZE9]).map((row) => ({
  ...{ stream: Number(row[0]), timeline: Number(row[1]), version: Number(row[2]), position: Number(row[3]) }
}));
var PAGE3 = `SELECT stream, timeline, version, position FROM events INDEXED BY sqlite_autoindex_events_2
  WHERE (stream, timeline, version) > (?, ?, ?) ORDER BY stream, timeline, version LIMIT ?`;
var archived = (database, { stream: stream2, timeline }, floor) => {
  const [row] = floor === 0 ? [] : database.rows("SELECT version FROM archived_streams WHERE stream = ? AND timeline = ?", [stream2, timeline]);
  return { version: Number(row?.[0] ?? 0), position: 0 };
};
var outOfSequence = (database, { stream: stream2, position, version }, before2) => {
  const [[name] = []] = database.rows("SELECT text FROM names WHERE id = ?", [stream2]);
  return flaw("version changed", position, {
    what: `stream ${String(name)} at @${position}`,
    expected: `version ${before2.version + 1}${before2.position === 0 ? "" : ` behind @${before2.position}`}`,
    found: `version ${version}`
  });
};

// src/events/sqlite/integrity/verify.ts
var checksOf = (stores) => [
  schema(stores),
  pages3(stores),
  counts(stores),
  versions(stores),
  strays(stores),
  names2(stores),
  blobs(stores),
  segmentFiles(stores),
  keys5(stores),
  snapshots(stores)
];
var verify2 = (stores, options = {}) => Effect40.gen(function* () {
  const { quick = false, onCheck = () => Effect40.void } = options;
  yield* onCheck(CHAIN);
  const chained = yield* verifyChain(stores.database, stores.segments, options);
  const looks = [{ what: CHAIN, looked: true, told: summaryOf2(chained) }];
  const flaws = [];
  for (const { what, run } of checksOf(stores)) {
    if (quick) looks.push({ what, looked: false, told: "left out by a quick verification" });
    else {
      yield* onCheck(what);
      const { told, flaws: found, looked = true } = yield* reportingDamage(what, run);
      looks.push({ what, looked, told });
      flaws.push(...found);
    }
  }
  return toVerification(chained, looks, flaws);
});
var toVerification = (chained, looks, others) => {
  const [first2] = others;
  if (chained.broken !== null) {
    const { finding, ...broken2 } = chainFlaw(chained.broken);
    return Verification.Tampered({ ...broken2, looks, findings: [finding, ...findingsOf(others)] });
  }
  if (first2 === void 0) return Verification.Intact({ head: chained.head, events: chained.events, looks });
  const { finding: _, ...found } = first2;
  return Verification.Tampered({ ...found, looks, findings: findingsOf(others) });
};
var findingsOf = (flaws) => flaws.map(({ finding }) => finding);
var CHAIN = "chain";
var summaryOf2 = (chained) => chained.broken === null ? counted(chained.events, "event") : `broken at @${chained.broken.position}`;
var chainFlaw = ({ position, kind: kind2, reason: reason2 }) => ({
  ...{ position, kind: kind2, reason: reason2 },
  finding: {
    severity: "damage",
    what: `chain at @${position}`,
    expected: "the events as they were recorded",
    found: `${kind2}: ${reason2}`,
    advice: "Do not trust events from there on: keep the file as evidence, and restore a copy."
  }
});
var reportingDamage = (what, look) => Effect40.flatMap(Effect40.either(look), (outcome) => {
  if (Either11.isRight(outcome)) return Effect40.succeed(outcome.right);
  const error2 = outcome.left;
  if (error2._tag !== "LogCorrupt" && error2._tag !== "SegmentUnavailable") return Effect40.fail(error2);
  return Effect40.succeed({ told: "cannot be read", flaws: [unreadable3(what, error2)] });
});
var unreadable3 = (what, error2) => {
  const finding = error2 instanceof SegmentUnavailable ? unavailable2(error2) : damaged2(what, error2.position, error2.reason);
  return { position: null, kind: "pages damaged", reason: `${finding.what}: ${finding.found}`, finding };
};
var unavailable2 = ({ first: first2, last: last3, file, reason: reason2 }) => ({
  severity: "damage",
  what: `segment @${first2} to @${last3}`,
  expected: `the archived events in ${file}`,
  found: reason2,
  advice: "Put the file back from where it was moved, or from a copy. Events after it can still be read."
});
var damaged2 = (what, position, reason2) => ({
  severity: "damage",
  what: position === null ? what : `pages at @${position}`,
  expected: "pages that SQLite can read",
  found: position === null ? reason2 : `${reason2}; ${soundBefore(position)}`,
  advice: RECOVERY
});
var soundBefore = (position) => position === 1 ? "no event can be read" : `the events up to @${position - 1} can be read and are sound`;

// src/events/sqlite/keys/keyFile.ts
import * as fs23 from "node:fs";
import { Effect as Effect41 } from "effect";
var APPLICATION_ID3 = 1214475129;
var TABLE = `CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  subject TEXT UNIQUE,
  secret BLOB CHECK (secret IS NULL OR length(secret) = 32),
  made_at INTEGER NOT NULL,
  shredded_by TEXT
) STRICT`;
var open10 = (filename, options) => {
  let opened2;
  const closed = Effect41.addFinalizer(() => Effect41.sync(() => opened2?.database.close()));
  const existing = () => {
    opened2?.checkIdentity();
    if (opened2 === void 0 && sizeOf5(filename) > 0) opened2 = connect4(filename, options.readonly);
    return opened2;
  };
  const openOrCreate = () => {
    if (options.readonly) throw unavailable3(filename, "a log that is opened for reading only makes no keys");
    if (existing() === void 0) make48(filename);
    opened2 ??= connect4(filename, false);
    return opened2;
  };
  return Effect41.as(closed, {
    name: filename,
    of: (subject) => withFileName(filename, () => openOrCreate().of(subject)),
    find: (id) => withFileName(filename, () => existing()?.find(id)),
    subjects: () => withFileName(filename, () => existing()?.subjects() ?? []),
    destroy: (subject) => withFileName(filename, () => existing()?.destroy(subject)),
    settle: (keyId) => withFileName(filename, () => existing()?.settle(keyId)),
    ofSnapshots: () => withFileName(filename, () => existing()?.ofSnapshots())
  });
};
var withFileName = (filename, run) => {
  try {
    return run();
  } catch (cause3) {
    const error2 = statementError(filename, cause3);
    if (error2._tag === "LogUnavailable") throw error2;
    if (error2._tag === "LogCorrupt")
      throw unavailable3(filename, `this key file is damaged (${error2.reason}); restore it from a copy`);
    throw cause3;
  }
};
var sizeOf5 = (filename) => fs23.statSync(filename, { throwIfNoEntry: false })?.size ?? 0;
var unavailable3 = (log4, reason2) => new LogUnavailable({ log: log4, reason: reason2 });
var connect4 = (filename, readonly) => {
  const database = driver2().open(filename, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    database.script("PRAGMA secure_delete = ON");
    if (!readonly && !isKeyFile(database)) inTransaction2(database, () => makeTable(filename, database));
    return connection(filename, database);
  } catch (cause3) {
    database.close();
    throw cause3;
  }
};
var scalarOf2 = (database, sql) => database.prepare(sql).rows([])[0]?.[0];
var inTransaction2 = (database, body) => {
  database.script("BEGIN IMMEDIATE");
  try {
    const answer = body();
    database.script("COMMIT");
    return answer;
  } catch (cause3) {
    if (database.inTransaction()) database.script("ROLLBACK");
    throw cause3;
  }
};
var isKeyFile = (database) => scalarOf2(database, "PRAGMA application_id") === APPLICATION_ID3 && scalarOf2(database, "SELECT 1 FROM sqlite_schema WHERE name = 'keys'") !== void 0;
var makeTable = (filename, database) => {
  if (scalarOf2(database, "PRAGMA application_id") !== APPLICATION_ID3) {
    if (scalarOf2(database, "SELECT count(*) FROM sqlite_schema") !== 0)
      throw unavailable3(filename, "expected a key file of Hindcast, or none, found another database; move it away");
    database.script(`PRAGMA application_id = ${APPLICATION_ID3}`);
  }
  database.script(TABLE);
};
var connection = (filename, database) => {
  const keyBy = (condition) => {
    const found = database.prepare(`SELECT id, secret FROM keys WHERE ${condition}`);
    return (...parameters) => keyOf(found.rows(parameters)[0]);
  };
  const byId = keyBy("id = ?");
  const ofNoSubject = keyBy("subject IS NULL");
  const bySubject = database.prepare("SELECT id, secret FROM keys WHERE subject = ?");
  const all4 = database.prepare(
    "SELECT subject, id, made_at, shredded_by FROM keys WHERE subject IS NOT NULL ORDER BY made_at, id"
  );
  const insert4 = database.prepare("INSERT INTO keys (id, subject, secret, made_at) VALUES (?, ?, ?, ?)");
  const destroyed = database.prepare("SELECT id, shredded_by FROM keys WHERE subject = ? AND secret IS NULL");
  const erase = database.prepare(
    "UPDATE keys SET secret = NULL, shredded_by = ? WHERE subject = ? AND secret IS NOT NULL"
  );
  const eraseOfSnapshots = database.prepare("DELETE FROM keys WHERE subject IS NULL");
  const forget = database.prepare("DELETE FROM keys WHERE id = ? AND secret IS NULL");
  const add8 = (subject) => {
    const key = newKey();
    if (insert4.run([key.id, subject, key.secret, Date.now()]) !== 1)
      throw unavailable3(
        filename,
        "it does not store a new key, because of a trigger that another program added. Drop the trigger"
      );
    return key;
  };
  let known = /* @__PURE__ */ new Map();
  let version;
  const current = () => {
    const now = scalarOf2(database, "PRAGMA data_version");
    if (now !== version) known = /* @__PURE__ */ new Map();
    version = now;
    return known;
  };
  return {
    database,
    checkIdentity: rememberIdentity(filename, false),
    of: (subject) => inTransaction2(database, () => {
      const [row] = bySubject.rows([subject]);
      if (row !== void 0) return keyOf(row);
      if (ofNoSubject() === void 0) add8(null);
      return add8(subject);
    }),
    find: (id) => {
      const keys6 = current();
      if (!keys6.has(id)) keys6.set(id, byId(id));
      return keys6.get(id);
    },
    subjects: () => all4.rows([]).map(([subject, id, since, shreddedBy]) => ({
      subject: String(subject),
      keyId: String(id),
      since: Number(since),
      shredding: shreddedBy !== null
    })),
    destroy: (subject) => inTransaction2(database, () => {
      known = /* @__PURE__ */ new Map();
      if (erase.run([newId(), subject]) > 0) {
        eraseOfSnapshots.run([]);
        add8(null);
      }
      const [row] = destroyed.rows([subject]);
      return row === void 0 ? void 0 : { keyId: String(row[0]), eventId: String(row[1]) };
    }),
    settle: (keyId) => {
      forget.run([keyId]);
    },
    ofSnapshots: () => ofNoSubject()
  };
};
var keyOf = (row) => {
  const [id, secret] = row ?? [];
  return secret instanceof Uint8Array ? { id: String(id), secret } : void 0;
};

// src/events/sqlite/keys/snapshotKey.ts
import * as crypto11 from "node:crypto";
import * as fs24 from "node:fs";
var KEY_BYTES = 32;
var BEING_WRITTEN_MS = 5e3;
var REREADS = 10;
var REREAD_MS = 5;
var OWNER_ONLY = 384;
var fileOf2 = (log4) => `${targetOf(log4)}.snapshot-key`;
var inMemory = () => {
  const key = crypto11.randomBytes(KEY_BYTES);
  return { find: () => key, make: () => key };
};
var inFile = (log4) => {
  const file = fileOf2(log4);
  const find4 = () => {
    const found = read4(file, log4);
    return found.kind === "key" ? found.key : void 0;
  };
  const make56 = () => {
    const found = readWritten(file, log4);
    if (found.kind === "key") return found.key;
    if (found.kind === "foreign" || found.kind === "being written") return void 0;
    try {
      if (found.kind === "unfit") fs24.unlinkSync(file);
      create(file, log4);
    } catch {
    }
    return find4();
  };
  return { find: find4, make: make56 };
};
var readWritten = (file, log4, rereads = REREADS) => {
  const found = read4(file, log4);
  if (found.kind !== "being written" || rereads === 0) return found;
  Atomics.wait(NEVER_NOTIFIED, 0, 0, REREAD_MS);
  return readWritten(file, log4, rereads - 1);
};
var NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
var read4 = (file, log4) => {
  let opened2;
  try {
    opened2 = fs24.openSync(file, fs24.constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  } catch (cause3) {
    const code = codeOf2(cause3);
    if (code === "ENOENT") return { kind: "none" };
    return { kind: code === "ELOOP" ? "unfit" : "foreign" };
  }
  try {
    const found = fs24.fstatSync(opened2);
    if (!belongs(found, log4)) return { kind: "foreign" };
    if (!found.isFile() || isOpenToOthers(found)) return { kind: "unfit" };
    if (found.size === 0 && Math.abs(Date.now() - found.mtimeMs) < BEING_WRITTEN_MS) return { kind: "being written" };
    if (found.size !== KEY_BYTES) return { kind: "unfit" };
    const key = Buffer.alloc(KEY_BYTES);
    return fs24.readSync(opened2, key) === KEY_BYTES ? { kind: "key", key } : { kind: "unfit" };
  } catch {
    return { kind: "foreign" };
  } finally {
    fs24.closeSync(opened2);
  }
};
var NO_FOLLOW = fs24.constants.O_NOFOLLOW ?? 0;
var NO_WAIT = fs24.constants.O_NONBLOCK ?? 0;
var create = (file, log4) => {
  const { O_CREAT, O_EXCL, O_WRONLY } = fs24.constants;
  const opened2 = fs24.openSync(file, O_CREAT | O_EXCL | O_WRONLY | NO_FOLLOW, OWNER_ONLY);
  try {
    fs24.fchmodSync(opened2, OWNER_ONLY);
    const owner = ownerOf(log4);
    if (process.geteuid?.() === 0 && owner !== void 0) fs24.fchownSync(opened2, owner.uid, owner.gid);
    fs24.writeSync(opened2, crypto11.randomBytes(KEY_BYTES));
  } finally {
    fs24.closeSync(opened2);
  }
};
var isOpenToOthers = ({ mode }) => process.platform !== "win32" && (mode & 63) !== 0;
var belongs = ({ uid }, log4) => {
  const user = process.geteuid?.();
  return user === void 0 || uid === user || uid === ownerOf(log4)?.uid;
};
var ownerOf = (log4) => fs24.statSync(log4, { throwIfNoEntry: false });
var codeOf2 = (cause3) => typeof cause3 === "object" && cause3 !== null && "code" in cause3 ? cause3.code : void 0;

// src/events/sqlite/lease.ts
import * as os3 from "node:os";
import { Clock as Clock3, Duration, Effect as Effect42, Schedule as Schedule2 } from "effect";

// src/events/sqlite/leaseHolder.ts
import * as os2 from "node:os";
var HEARTBEAT_EVERY_MS = 1e3;
var STALE_AFTER_MS = 1e4;
var readHolder = (database) => {
  if (database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'lease'").length === 0)
    return void 0;
  const holder = readRow(database);
  return holder && { ...holder, owner: holder.owner.split("#")[0] ?? "" };
};
var readRow = (database) => {
  const [row] = database.rows("SELECT owner, host, pid, acquired_at, heartbeat_at FROM lease");
  if (row === void 0) return void 0;
  const [owner, host, pid, acquiredAt, heartbeatAt] = row;
  return {
    owner: String(owner),
    host: String(host),
    pid: Number(pid),
    acquiredAt: Number(acquiredAt),
    heartbeatAt: Number(heartbeatAt)
  };
};
var stateOf2 = ({ host, pid, heartbeatAt }, now) => {
  if (host === os2.hostname() && !isAlive(pid)) return { _tag: "Gone" };
  const silentMs = now - heartbeatAt;
  if (silentMs > STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: 3 * HEARTBEAT_EVERY_MS };
  if (silentMs < -STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: STALE_AFTER_MS };
  return { _tag: "Alive" };
};
var holderNow = (database) => {
  const holder = readHolder(database);
  return holder !== void 0 && stateOf2(holder, Date.now())._tag === "Alive" ? holder : void 0;
};
var silentHolder = (database) => {
  const holder = readHolder(database);
  return holder?.host === os2.hostname() && stateOf2(holder, Date.now())._tag === "Doubtful" ? holder : void 0;
};

// src/events/sqlite/lease.ts
var WATCH_INTERVAL_MS = 100;
var make53 = (database) => ({
  acquire: (owner) => Effect42.gen(function* () {
    const token = `${owner}#${newId()}`;
    const state = yield* waitUntilFree(database);
    const takenFrom = yield* Effect42.acquireRelease(
      take({ database, owner, token, state }),
      () => Effect42.ignore(attempt2(database, () => database.run("DELETE FROM lease WHERE owner = ?", [token])))
    );
    let lost = false;
    const held = Effect42.suspend(() => lost ? new LeaseLost({ log: database.filename, owner }) : Effect42.void);
    const check3 = attempt2(database, () => database.rows("SELECT 1 FROM lease WHERE owner = ?", [token])).pipe(
      Effect42.tap(([row]) => {
        lost ||= row === void 0;
      }),
      Effect42.zipRight(held)
    );
    const heartbeat = attempt2(
      database,
      () => database.run("UPDATE lease SET heartbeat_at = ? WHERE owner = ?", [Date.now(), token])
    );
    yield* Effect42.zipRight(heartbeat, check3).pipe(
      Effect42.ignore,
      Effect42.repeat(Schedule2.spaced(HEARTBEAT_EVERY_MS)),
      Effect42.forkScoped
    );
    return { check: check3, held, takenFrom };
  })
});
var attempt2 = (database, run) => Effect42.catchTag(attempt(database.filename, run), "DiskFull", () => diskFullError(database.filename));
var waitUntilFree = (database) => Effect42.gen(function* () {
  const first2 = yield* readHolder2(database);
  const startedAt = yield* Clock3.currentTimeNanos;
  let holder = first2;
  while (holder !== void 0) {
    if (holder.owner !== first2?.owner || holder.heartbeatAt !== first2.heartbeatAt) return { _tag: "Held" };
    const state = stateOf2(holder, Date.now());
    if (state._tag === "Gone") return { _tag: "Lost", holder };
    if (state._tag === "Alive") return { _tag: "Held" };
    const watched = Duration.nanos((yield* Clock3.currentTimeNanos) - startedAt);
    if (Duration.toMillis(watched) >= state.watchMs) return { _tag: "Lost", holder };
    yield* Effect42.sleep(WATCH_INTERVAL_MS);
    holder = yield* readHolder2(database);
  }
  return { _tag: "Free" };
});
var take = ({ database, owner, token, state }) => Effect42.gen(function* () {
  const now = Date.now();
  const host = os3.hostname();
  const [takenFrom, silentSince] = state._tag === "Lost" ? [state.holder.owner, state.holder.heartbeatAt] : ["", 0];
  yield* attempt2(database, () => database.run(TAKE, [token, host, process.pid, now, now, takenFrom, silentSince]));
  const after4 = yield* readHolder2(database);
  if (after4?.owner === token) return state._tag === "Lost" ? nameOf3(state.holder) : null;
  const found = after4 ?? { owner, host, pid: process.pid, acquiredAt: now, heartbeatAt: now };
  return yield* new LeaseHeld({ log: database.filename, holder: { ...found, owner: nameOf3(found) } });
});
var TAKE = `
  INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at)
  VALUES (1, ?, ?, ?, ?, ?)
  ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
    acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
  WHERE lease.owner = ? AND lease.heartbeat_at = ?`;
var nameOf3 = ({ owner }) => owner.split("#")[0] ?? owner;
var readHolder2 = (database) => attempt2(database, () => readRow(database));

// src/events/sqlite/recentEvents.ts
var MAX_EVENTS2 = 2048;
var MAX_CHARACTERS = 4 * 1024 * 1024;
var make54 = (writer, upcast) => {
  let kept = [];
  let characters = 0;
  let from = Number.POSITIVE_INFINITY;
  let head5 = { position: 0, hash: "" };
  let verifiedIn;
  const startAfter = (position) => {
    kept = [];
    characters = 0;
    from = position;
  };
  const isCurrent = () => {
    const version = writer.rows("PRAGMA data_version")[0]?.[0];
    if (version === verifiedIn) return true;
    const now = readHead(writer);
    verifiedIn = version;
    if (now.position === head5.position && now.hash === head5.hash) return true;
    startAfter(now.position);
    head5 = now;
    return false;
  };
  const keep = (event, text) => {
    if (event.personal !== void 0 || text.length > MAX_CHARACTERS) return startAfter(event.position);
    const { payload: _, ...envelope2 } = event;
    kept.push({ event: envelope2, text });
    characters += text.length;
    if (kept.length <= MAX_EVENTS2 && characters <= MAX_CHARACTERS) return;
    const dropped = kept.splice(0, Math.ceil(kept.length / 2));
    for (const { text: text2 } of dropped) characters -= text2.length;
    from = dropped.at(-1)?.event.position ?? from;
  };
  return {
    committed: ({ rows, validated }) => {
      const [first2] = rows;
      if (first2 === void 0) return;
      if (first2.position !== head5.position + 1 || from > head5.position) startAfter(first2.position - 1);
      for (const [index, row] of rows.entries()) {
        const { blob, text } = validated[index] ?? { blob: null, text: "" };
        if (blob === null) keep(row, text);
        else startAfter(row.position);
      }
      const last3 = rows.at(-1) ?? first2;
      head5 = { position: last3.position, hash: last3.hash };
    },
    forget: () => startAfter(head5.position),
    page: (query, limit) => {
      const { after: after4 = 0 } = query;
      if (after4 < from || !isCurrent()) return void 0;
      const events = [];
      for (let index = after4 - from; index < kept.length && events.length < limit; index++) {
        const found = kept[index];
        if (found !== void 0 && matches(query, found.event)) events.push(eventOf2(found, upcast));
      }
      return events;
    },
    head: () => from <= head5.position && isCurrent() ? head5 : void 0
  };
};
var eventOf2 = ({ event, text }, upcast) => ({
  ...event,
  payload: upcast(event.type, event.schemaVersion, JSON.parse(text))
});

// src/events/sqlite/records.ts
import { Effect as Effect43 } from "effect";
var PAGE_SIZE10 = 250;
var make55 = (reader, vocabulary) => {
  const withoutKeys = { ...reader, keys: memory() };
  const forEachPage = (query, of7, take2) => Effect43.gen(function* () {
    const flaw2 = invalidQuery(query);
    if (flaw2 !== void 0) return yield* flaw2;
    let { after: after4 = 0 } = query;
    for (let size9 = FIRST_PAGE; ; size9 = Math.min(2 * size9, PAGE_SIZE10)) {
      const page = yield* attemptRead(
        reader.database.filename,
        () => pageOf(reader, { ...query, after: after4 }, size9, (row) => of7(undecoded(reader, row)), of7)
      );
      yield* take2(page);
      if (page.length < size9) return;
      after4 = page.at(-1)?.link.position ?? after4;
      yield* yieldToEventLoop;
    }
  });
  return Records.of({
    stored: (query, take2) => forEachPage(query, (row) => storedEvent(reader, row), take2),
    decoded: (query, { decrypted }, take2) => {
      const contents = decrypted === true ? reader : withoutKeys;
      return forEachPage(query, (row) => decodedEvent(contents, vocabulary, row), take2);
    }
  });
};
var undecoded = (reader, row) => {
  const { link: link2, hash: hash7 } = rowLink(reader, row);
  return { link: link2, payload: String(row[11]), keyId: row[12] === null ? null : nameIn(reader.names, row, row[12]), hash: hash7 };
};
var storedEvent = (reader, { link: link2, payload: stored, keyId, hash: hash7 }) => ({
  link: link2,
  stored,
  blob: blobIn(reader, link2.position, stored) ?? null,
  keyId,
  hash: hash7
});
var decodedEvent = (reader, { types }, { link: link2, payload, keyId, hash: hash7 }) => {
  const isCurrent = (types.get(link2.type)?.version ?? link2.schemaVersion) === link2.schemaVersion;
  if (keyId === null && isCurrent) {
    return { link: link2, text: blobIn(reader, link2.position, payload) ?? payload, keyId, hash: hash7 };
  }
  const content = contentOf(reader, link2.position, link2.id, { payload, keyId });
  return { link: link2, text: JSON.stringify(reader.upcast(link2.type, link2.schemaVersion, content.payload)), keyId, hash: hash7 };
};
var blobIn = ({ database, segments }, position, payload) => {
  const digest2 = digestIn(payload);
  if (digest2 === void 0) return void 0;
  const text = readBlob(database, digest2) ?? segments.blob(digest2);
  if (text === void 0) throw new DamagedRow(position, `its payload is the blob ${digest2}, which is not there`);
  if (sha256(text) !== digest2)
    throw new DamagedRow(position, `its payload is the blob ${digest2}, and what is there is another text`);
  return text;
};

// src/events/sqlite/SqliteEventLog.ts
var SqliteOptions = of5({
  required: { filename: Path },
  optional: {
    durability: Schema22.Literal("normal", "full"),
    readonly: Schema22.Boolean,
    vocabulary: Vocabulary
  }
});
var POLL_EVERY = "50 millis";
var layer2 = (options) => Layer.unwrapEffect(Effect44.map(decode2("layerSqlite", SqliteOptions, options), opened));
var opened = (options) => Layer.scopedContext(
  Effect44.gen(function* () {
    const { filename, vocabulary = core, readonly = false } = options;
    const inMemory2 = filename === IN_MEMORY;
    const upcast = chain(vocabulary.types, vocabulary.upcasters);
    const commits = make43();
    const keys6 = inMemory2 ? memory() : yield* open10(`${targetOf(filename)}.keys`, { readonly });
    const ownKey = inMemory2 ? inMemory() : inFile(filename);
    const { database, append: append5, lease, writer, cacheWriter, recent } = yield* readonly ? openForReading(filename) : openForWriting(options, { upcast, keys: keys6, commits });
    const reading = (read5) => attemptRead(filename, read5);
    const names3 = yield* reading(() => make49(database));
    const segments = yield* make45(database);
    const reader = { database, names: names3, upcast, keys: keys6, segments };
    const head5 = reading(() => recent?.head() ?? readHead(database));
    const page = checked(
      (query, limit) => reading(() => recent?.page(query, limit) ?? readPage(reader, query, limit))
    );
    const log4 = EventLog.of({
      name: filename,
      ...ON_MAIN,
      append: append5,
      read: (query) => stream(page, query ?? {}),
      readPage: page,
      find: (id) => isEventId(id) ? reading(() => Option11.fromNullable(findEvent(reader, id))) : Effect44.succeedNone,
      versionOf: (stream2, timeline = MAIN) => reading(() => readVersion(database, names3, timeline, stream2)),
      head: head5,
      follow: (query) => follow({ head: head5, readPage: page, commits, pollEvery: POLL_EVERY }, query ?? {}),
      verify: verify2({ database, segments, keys: keys6, ownKey }),
      verifyWith: (given) => Effect44.flatMap(
        decode2("verifyWith", VerifyOptions, given),
        (options2) => verify2({ database, segments, keys: keys6, ownKey }, options2)
      )
    });
    const stored = {
      reader: database,
      writer: cacheWriter,
      upcastVersions: upcastVersionsOf(vocabulary),
      keys: keys6,
      ownKey
    };
    const cache = make52(stored);
    const attempt3 = (run) => attempt(keys6.name, run);
    const archive = make46({
      ...{ log: log4, reader: database, writer: inMemory2 ? void 0 : writer, segments },
      moved: () => recent?.forget()
    });
    return Context8.make(EventLog, log4).pipe(
      Context8.add(Archive, archive),
      Context8.add(Bundles, make50({ log: log4, database, segments, vocabulary, upcast })),
      Context8.add(Lease, {
        holder: reading(() => holderNow(database)),
        silent: reading(() => silentHolder(database)),
        ...lease
      }),
      Context8.add(Records, make55(reader, vocabulary)),
      Context8.add(Snapshots, cache),
      Context8.add(PersonalData, make42({ log: log4, keys: keys6, snapshots: cache, attempt: attempt3 }))
    );
  }).pipe(mapSqlErrors(options.filename))
);
var openForWriting = (options, { upcast, keys: keys6, commits }) => Effect44.gen(function* () {
  const { filename, durability = "normal", vocabulary = core } = options;
  const { writer, reader, cacheWriter, lease, committed, flush: flush2 } = yield* filename === IN_MEMORY ? openInMemory : openFile(filename);
  const segments = yield* make45(writer);
  const recent = make54(writer, upcast);
  const commit = yield* attempt(filename, () => {
    writer.run(`PRAGMA synchronous = ${durability}`);
    const reader2 = { database: writer, names: make49(writer), upcast, keys: keys6, segments };
    return make44(reader2, recent.committed);
  });
  const commitAndNotify = (requests) => {
    const answers = commit(requests);
    commits.notify();
    committed();
    return answers;
  };
  const validateOnly = make39(vocabulary, keys6);
  const validate3 = (request2) => Either12.flatMap(
    attemptSync(keys6.name, () => validateOnly(request2)),
    (admitted) => admitted
  );
  return {
    database: reader,
    writer,
    cacheWriter,
    recent,
    // With `full` SQLite flushes each commit by itself.
    append: yield* make40(filename, validate3, commitAndNotify, durability === "full" ? void 0 : flush2),
    lease
  };
});
var openFile = (filename) => Effect44.gen(function* () {
  const { reading, writing } = yield* scopes(filename);
  const connect5 = (readonly) => Scope2.extend(open6(filename, { readonly }), readonly ? reading : writing);
  const reader = yield* Effect44.scoped(Effect44.zipRight(open9(filename), connect5(true)));
  const writer = yield* connect5(false);
  const cacheWriter = yield* connect5(false);
  yield* attempt(filename, () => cacheWriter.run("PRAGMA busy_timeout = 0"));
  const committed = yield* Scope2.extend(truncateWhenIdle(cacheWriter), writing);
  const flush2 = yield* Scope2.extend(make51(filename), writing);
  return { writer, reader, cacheWriter, lease: make53(yield* connect5(false)), committed, flush: flush2 };
});
var openInMemory = Effect44.gen(function* () {
  const database = yield* open6(IN_MEMORY, { readonly: false });
  for (const statement of [...LOG_TABLES, ...CACHE_TABLES]) database.run(statement);
  const lease = make41(IN_MEMORY);
  return { writer: database, reader: database, cacheWriter: database, lease, committed: () => {
  }, flush: void 0 };
});
var openForReading = (filename) => Effect44.gen(function* () {
  const refusal = new LogUnavailable({ log: filename, reason: "it was opened for reading only" });
  yield* check2(filename);
  const database = yield* open6(filename, { readonly: true });
  const lease = { acquire: () => Effect44.fail(refusal) };
  return {
    database,
    writer: void 0,
    cacheWriter: void 0,
    recent: void 0,
    append: () => Effect44.fail(refusal),
    lease
  };
});

// imp.tmp.mjs
var [log3, ...paths] = process.argv.slice(2);
var r = await Effect_exports.runPromise(Effect_exports.provide(importFiles({ paths }), layer2({ filename: log3 })));
console.log(JSON.stringify(r, null, 1));

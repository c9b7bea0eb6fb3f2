import type { Condenser } from './condenser.ts';
import { apt } from './condensers/apt.ts';
import { bundler } from './condensers/bundler.ts';
import { cargo } from './condensers/cargo.ts';
import { ctest } from './condensers/ctest.ts';
import { docker } from './condensers/docker.ts';
import { dotnet } from './condensers/dotnet.ts';
import { git } from './condensers/git.ts';
import { gitDiff } from './condensers/git-diff.ts';
import { go } from './condensers/go.ts';
import { gradle } from './condensers/gradle.ts';
import { jest } from './condensers/jest.ts';
import { listing } from './condensers/listing.ts';
import { make } from './condensers/make.ts';
import { maven } from './condensers/maven.ts';
import { mocha } from './condensers/mocha.ts';
import { nodeTest } from './condensers/node-test.ts';
import { npm } from './condensers/npm.ts';
import { pip } from './condensers/pip.ts';
import { pnpm } from './condensers/pnpm.ts';
import { prove } from './condensers/prove.ts';
import { pytest } from './condensers/pytest.ts';
import { unittest } from './condensers/unittest.ts';
import { vitest } from './condensers/vitest.ts';
import { webpack } from './condensers/webpack.ts';
import { yarn } from './condensers/yarn.ts';

/** Every condenser there is, the more particular ones first. */
export const CONDENSERS: readonly Condenser[] = [
  ...[vitest, jest, mocha, nodeTest, pytest, unittest, cargo, go, prove, ctest, dotnet],
  ...[npm, pnpm, yarn, pip, apt, bundler, maven, gradle, make, webpack, docker],
  ...[gitDiff, git, listing],
];

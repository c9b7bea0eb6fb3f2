import { type Condenser, commaList, type OmitRule } from './condenser.ts';

/** The built-in condensers, more specific ones first. */
export const BUILT_IN_CONDENSERS: readonly Condenser[] = [
  {
    name: 'vitest',
    commands: ['vitest', 'playwright', 'bun test', 'deno test', 'ava', 'wtr', 'cypress'],
    rules: [
      omit('passed tests', /^\s*(?:✓|√|✔|\(pass\)) |^\S.* \.\.\. ok \(\d|^\s*✓$/),
      omit('skipped tests', /^\s*(?:↓|-|\(skip\)|\(todo\)) \S/),
    ],
  },
  {
    name: 'jest',
    commands: ['jest', 'react-scripts test', 'jasmine', 'karma'],
    headings: /^(?: {2,})[^\s✓✕○√●✔✖(][^:]*$/,
    rules: [
      omit('passed test files', /^PASS /),
      omit('passed tests', /^\s+(?:✓|√|✔) /),
      omit('skipped tests', /^\s+(?:○|✎) /),
      omit('progress lines', /^RUNS {2}|^\s+[.]{20,}$/),
    ],
  },
  {
    name: 'mocha',
    commands: ['mocha', '_mocha', 'nyc', 'c8'],
    headings: /^ {2,}[^\s✓√✔\d-][^:]*$/,
    rules: [omit('passed tests', /^\s+(?:✓|√|✔) /), omitUnlessFailure('pending tests', /^\s+- \S/)],
  },
  // The spec reporter of node, and TAP.
  {
    name: 'node test',
    commands: ['node --test', 'node', 'tsx', 'tape', 'tap', 'bats'],
    headings: /^\s*(?:▶ |# Subtest: )/,
    rules: [
      omit('passed tests', /^\s*(?:✔ |ok \d+(?: |$))/),
      omit('skipped tests', /^\s*﹣ /),
      omit(
        'lines about passed tests',
        /^\s+(?:---|\.\.\.|duration_ms: .*|type: '(?:suite|test)')$|^\s+\d+\.\.\d+$/,
      ),
    ],
  },
  {
    name: 'pytest',
    commands: ['pytest', 'py.test', 'tox', 'nox'],
    rules: [
      omit(
        'passed tests',
        /^\S+::.+ (?:PASSED|XPASS|SKIPPED|XFAIL)\b|^\[gw\d+\] \[ *\d+%\] PASSED|^\S+\.py [.sx]+ *\[ *\d+%\]$|^[.sx]+ *\[ *\d+%\]$/,
      ),
    ],
  },
  {
    name: 'unittest',
    commands: ['unittest', 'nosetests', 'nose2'],
    rules: [omit('passed tests', /^\S.* \.\.\. (?:ok|skipped .*)$|^\w+ \([\w.]+\)$/)],
  },
  {
    name: 'cargo',
    commands: ['cargo', 'cross'],
    rules: [
      omit('passed tests', /^test .+ \.\.\. ok(?: <[\d.]+s>)?$|^\s+PASS \[ *[\d.]+s\] /),
      omit('ignored tests', /^test .+ \.\.\. ignored/),
      omit(
        'crates',
        /^\s+(?:Compiling|Downloaded|Downloading|Fresh|Checking|Locking|Adding|Updating|Documenting|Dirty|Removing|Installing|Unpacking|Building) \S/,
      ),
    ],
  },
  {
    name: 'go',
    commands: ['go', 'gotestsum'],
    blocks: [
      {
        what: 'lines of passed tests',
        begins: /^=== RUN /,
        endsInSuccess: /^--- (?:PASS|SKIP): /,
        endsInFailure: /^\s*--- FAIL: |^panic: |^FAIL\b|^fatal error: /,
      },
    ],
    rules: [
      omit('test progress lines', /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|SKIP): )/),
      omit('packages without tests', /^\? {3}\t.*\[no test files\]$|^✓ {2}\S+ \(/),
      omit('downloads', /^go: (?:downloading|finding|extracting|added|upgraded) /),
    ],
  },
  {
    name: 'prove',
    commands: ['prove', 'perl'],
    rules: [
      omit('passed tests', /^\s*ok \d+(?: |$)/),
      omit('passed files', /^\S+\.t \.{2,} ?(?:ok.*)?$|^ok$/),
      omit('plans', /^\s*1\.\.\d+$/),
    ],
  },
  {
    name: 'ctest',
    commands: ['ctest'],
    rules: [omit('passed tests', /^\s*\d+\/\d+ Test +#\d+: .* Passed /), omit('starts', /^\s+Start +\d+: /)],
  },
  {
    name: 'dotnet',
    commands: ['dotnet', 'phpunit', 'rspec', 'swift', 'xcodebuild'],
    rules: [
      omit('passed tests', /^\s+(?:Passed|Skipped) \S.* \[[<\d]|^ ✔ |^Test Case .* passed \(/),
      omit('restored packages', /^\s+Restored |^\s+Determining projects/),
    ],
  },
  {
    name: 'npm',
    commands: commaList(
      'npm install, npm i, npm ci, npm add, npm update, npm audit, npm exec, npx, bun install, bun add',
    ),
    hasPackageOperands: true,
    rules: [
      omit('requests', /^npm http (?:fetch (?:GET|POST|HEAD) (?:200|304)|cache) /),
      omit('log lines', /^npm (?:sill|silly|verb|verbose|info|timing|notice) /),
    ],
    keep: /^npm (?:warn|WARN|error|ERR!)/,
  },
  {
    name: 'pnpm',
    commands: ['pnpm install', 'pnpm i', 'pnpm add', 'pnpm update', 'pnpm fetch'],
    rules: [
      omit('progress lines', /^(?:\S+ +\| )?(?:Progress: resolved|Already up to date|Downloading \S+: )/),
    ],
  },
  {
    name: 'yarn',
    commands: ['yarn', 'yarn install', 'yarn add', 'yarn upgrade'],
    rules: [
      omit('log lines', /^verbose \d/),
      omitUnlessFailure('steps', /^\[\d\/\d\] |^info (?:Direct|All) dependencies/),
      omitUnlessFailure('packages', /^[├└]─ \S+@/),
      omit('fetched packages', /^➤ YN00(?:13|19|85): /),
    ],
  },
  {
    name: 'pip',
    commands: commaList(
      'pip install, pip3 install, pip download, pip wheel, uv pip, uv sync, poetry install, pipenv install',
    ),
    hasPackageOperands: true,
    rules: [
      omit('unavailable sources', /^Could not fetch URL .* - skipping$|^WARNING: Location '.*' is ignored/),
      omitUnlessFailure(
        'steps',
        /^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Obtaining|Preparing|Getting|Installing (?:build|backend|collected)|Building wheel|Created|Stored in|Attempting uninstall|Found existing|Uninstalling|Successfully uninstalled|Looking (?:in|up)|Added|Link requires|Fetching|Skipping (?:link|unacceptable)|Found (?:link|index)|Given no hashes|Will consider|Entered build|Initialized build|Removed|Cleaning up|Resolving|Starting new|Request header|Response header|\d+ location\(s\) to search|\* https?:|https?:\/\/|Fetched page|Source in|Using (?:pip|selector|PEP)|Non-user install|User install|Hashed|Updating cache|Adding transitive|New pins|changing mode|Running command|Reporter|Incremented Retry|file: URL)\b/,
      ),
      omitUnlessFailure('steps', /^\s*\* (?:https?|file):|^\s*Processing \S+\.(?:whl|tar\.gz|zip)$/),
      omitUnlessFailure(
        'files',
        /^\s*(?:copying|creating|writing|adding|running|reading|byte-compiling|removing|hard linking|moving) \S/,
      ),
      omit('progress bars', /^\s*[━╸╺ ]{10,}.*(?:MB|kB|eta)/),
    ],
    keep: /^Successfully installed|^\s*(?:WARNING: (?!Location)|ERROR|error|note|hint)\b/,
  },
  {
    name: 'apt',
    commands: ['apt', 'apt-get', 'aptitude', 'dpkg'],
    hasPackageOperands: true,
    rules: [
      omit(
        'downloads',
        /^(?:Get|Hit|Ign):\d+ |^Fetched |^Reading package lists|^Building dependency tree|^Reading state/,
      ),
      omitUnlessFailure(
        'steps',
        /^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Inst |Conf |Remv |Replacing files|update-alternatives: using|Created symlink|Extracting templates|Preconfiguring|Moving old data)|^\(Reading database/,
      ),
      omit('lines of package names', /^ {2}[a-z0-9][\w.+:~-]*(?: [a-z0-9][\w.+:~-]*)*$/),
      omitUnlessFailure(
        'certificates',
        /^(?:Adding|Updating|Generating) .*(?:\.pem|\.crt|locale|\.\.\. done)/,
      ),
    ],
    keep: /^[EW]: |^dpkg: /,
  },
  {
    name: 'bundler',
    commands: ['bundle', 'gem', 'composer'],
    rules: [
      omit(
        'packages',
        /^(?:Using|Fetching|Installing|Downloading) \S+ [\d(]|^ {2}- (?:Installing|Downloading|Locking|Upgrading|Updating|Syncing) /,
      ),
      omit('progress bars', /^ +\d+\/\d+ \[[=>-]+\]/),
    ],
  },
  {
    name: 'maven',
    commands: ['mvn', 'mvnw', 'maven'],
    rules: [
      omit('downloads', /^(?:\[INFO\] )?(?:Downloading|Downloaded)(?: from \S+)?: |^Progress \(\d+\)/),
      omit('debug lines', /^\[DEBUG\]/),
      omit(
        'passed test classes',
        /^\[INFO\] (?:Running \S+$|Tests run: \d+, Failures: 0, Errors: 0, .*Time elapsed)/,
      ),
      omitUnlessFailure(
        'steps',
        /^\[INFO\] (?:Copying|Compiling|Using|Nothing to|Including|skip|Installing|Building jar|Changes detected|Skipping)\b/,
      ),
      omit('blank lines', /^\[INFO\]\s*(?:-{10,})?$/),
    ],
    keep: /^\[(?:ERROR|WARNING)\]/,
  },
  {
    name: 'gradle',
    commands: ['gradle', 'gradlew'],
    rules: [
      omit('tasks', /^(?:> Task )?:[\w:-]+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$/),
      omit('passed tests', /^\S.* > .* (?:PASSED|SKIPPED)$/),
      omit('downloads', /^Download(?:ing)? (?:https?:|from )/),
      omit('progress lines', /^<[=-]*> \d+% |^> (?:Configure|IDLE|Resolve)/),
    ],
  },
  // make, cmake, ninja and meson: the commands they run, not their results.
  {
    name: 'make',
    commands: ['make', 'gmake', 'cmake', 'ninja', 'meson', 'autoreconf', 'configure', 'scons', 'bazel'],
    rules: [
      omit(
        'compiler commands',
        /^\s*(?:cd \S+ && )?(?:libtool: (?:compile|link): +)?(?:\/\S+\/)?(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ar|ranlib|ld|as|strip|install|rustc|javac)(?:-[\d.]+)? (?:-|\S+\.(?:c|cc|cpp|o|a)\b|qc |.* -[co] )/,
      ),
      omitUnlessFailure(
        'steps',
        /^\[ *\d+%\] (?!Built target)|^\[\d+\/\d+\] |^make(?:\[\d+\])?: (?:Entering|Leaving|Nothing)|^\S*cmake -[EHS]|^\S*make(?: -\S+)* (?:-f|-C) |^Consolidate compiler|^Scanning dependencies|^ {2}(?:CC|CXX|LD|AR|GEN|LINK|CCLD|CXXLD|INSTALL) /,
      ),
      omitUnlessFailure(
        'checks',
        /^-- (?:Looking|Performing|Check|Detecting|Found|The \w+ compiler|Could NOT find \S+ \(missing.*optional)|^checking .*\.\.\. |^config\.status: creating/,
      ),
    ],
    keep: /^FAILED: |error|warning|\*\*\*/i,
  },
  // Bundlers: the modules and assets they list.
  {
    name: 'webpack',
    commands: ['webpack', 'vite', 'rollup', 'next', 'parcel', 'ng', 'esbuild', 'tsup'],
    rules: [
      omitUnlessFailure(
        'modules',
        /^\s*(?:modules by path|(?:\.\/|\.\.\/|\|? *\.?\/)?\S+ [\d.]+ (?:bytes|KiB|MiB)\b|\| +\S|\+ \d+ modules|cacheable modules|orphan modules|runtime modules|<[a-z]+> )/,
      ),
      omitUnlessFailure(
        'details of modules',
        /^\s+(?:\[(?:exports|used exports|no exports|module|built|cached|code generated)|(?:harmony|cjs|esm|entry|import)\b.*\[|ModuleConcatenation|factory:|building:|\d+ ms)/,
      ),
      omit('assets', /^(?:dist|build|out)\/\S+ +[\d.]+ [kM]?B|^asset \S+\.map /),
      omit('debug lines', /^\s*\S+Z? vite:\S+ |^transforming|^rendering chunks|^computing gzip|^vite v/),
    ],
  },
  {
    name: 'docker',
    commands: ['docker', 'docker-compose', 'podman', 'buildah'],
    rules: [
      omit(
        'layers',
        /^(?:\S+ )?[\da-f]{12}:? (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists|Downloading|Extracting|Preparing|Pushed|Pushing|Layer already exists|Mounted)/,
      ),
      omit(
        'steps',
        /^#\d+ (?:sha256:|extracting|resolve|transferring|exporting|writing image|naming to|CACHED|DONE|\.\.\.|\[internal\]|preparing|unpacking)|^ ---> |^Removing intermediate/,
      ),
    ],
  },
  // Unchanged lines are omitted; every file and every changed line stays.
  {
    name: 'git diff',
    commands: ['git diff', 'git show'],
    ownOutputOnly: true,
    rules: [
      omit('unchanged lines', /^ .*$|^$/),
      omit('object ids', /^index [\da-f]+\.\.[\da-f]+|^--- (?:a\/|\/dev\/null)|^\+\+\+ b\//),
    ],
  },
  {
    name: 'git',
    commands: commaList(
      'git clone, git fetch, git pull, git push, git status, git merge, git checkout, git gc, git submodule, git lfs, git diff --stat',
    ),
    ownOutputOnly: true,
    rules: [
      omit(
        'progress lines',
        /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Updating|Unpacking|Writing|Filtering|Checking)[\w ]*: +\d/,
      ),
      omit('merged files', /^Auto-merging /),
      omitUnlessFailure('files created or deleted', /^ (?:create|delete) mode \d+ /),
    ],
    groupings: [
      { what: 'changed files', pattern: /^ (\S*?)[^/\s]* +\| +(?:\d+ [+-]*|Bin .*)$/, keep: 3 },
      {
        what: 'files in this state',
        pattern: /^\t(?:(?:modified|deleted|renamed|new file): +)?(\S*\/)?[^/]*$/,
        keep: 8,
      },
      { what: 'branches and tags', pattern: /^ [*+] \[new (branch|tag)\]/, keep: 3 },
    ],
  },
  // Directory listings: the first entries of each directory, and their number.
  {
    name: 'listing',
    commands: ['ls', 'find', 'fd', 'tree', 'du', 'rg --files', 'git ls-files', 'tar', 'unzip'],
    ownOutputOnly: true,
    groupings: [
      { what: 'entries', pattern: /^([-dlcbps])[-rwxsStT]{9}/, keep: 8 },
      { what: 'entries', pattern: /^((?:\d\S*\t)?\S*\/)[^/]*$/, keep: 6 },
      { what: 'entries', pattern: /^((?:[│|] {3}| {4})*[├└|`]── )/, keep: 12 },
    ],
  },
];

function omit(what: string, pattern: RegExp): OmitRule {
  return { what, pattern, unconditional: true };
}

function omitUnlessFailure(what: string, pattern: RegExp): OmitRule {
  return { what, pattern };
}

"""Package managers."""

from pathlib import Path

from recipe import Recipe, write

DEPENDENCIES = '"express": "4.21.2", "webpack": "5.97.1", "eslint": "8.57.1", "mocha": "10.8.2", "request": "2.88.2", "glob": "7.2.3"'


def package(dependencies: str, more: dict[str, str] | None = None):
    def prepare(directory: Path) -> None:
        write(directory, {"package.json": '{"name": "shop", "version": "1.0.0", "dependencies": {%s}}' % dependencies, "node_modules/.keep": "", **(more or {})})

    return prepare


def nothing(directory: Path) -> None:
    write(directory, {"README": ""})


def broken_wheel(directory: Path) -> None:
    calls = "\n".join(f"    print('checking for feature {n} ... yes')" for n in range(900))
    write(directory, {"pkg/setup.py": f"import setuptools\n\n\ndef probe():\n{calls}\n    raise RuntimeError('libturbo-dev headers not found')\n\n\nprobe()\nsetuptools.setup(name='turbo', version='1.0')\n"})


NPM = "npm install --ignore-scripts --no-fund"
PACKAGES = [
    Recipe("npm-install", "npm install", ["added 324 packages"], package(DEPENDENCIES), "install", run=f"{NPM} --loglevel http --cache ./cache"),
    Recipe("npm-verbose", "npm install --verbose", ["added 324 packages"], package(DEPENDENCIES), "install", run=f"{NPM} --loglevel silly --cache ./cache"),
    Recipe("npm-404", "npm install", ["E404", "@shop-internal/no-such-thing-here"], package(DEPENDENCIES + ', "@shop-internal/no-such-thing-here": "1.0.0"'), "fail", run=f"{NPM} --loglevel http --cache ./cache"),
    Recipe("npm-eresolve", "npm install", ["ERESOLVE", "react@18.3.1", "peer react@\"17.0.2\"", "react-dom@17.0.2"], package(DEPENDENCIES + ', "react": "18.3.1", "react-dom": "17.0.2"'), "fail", run=f"{NPM} --loglevel http --cache ./cache"),
    Recipe("npm-etarget", "npm install", ["ETARGET", "No matching version found for left-pad@99.0.0"], package(DEPENDENCIES + ', "left-pad": "99.0.0"'), "fail", run=f"{NPM} --loglevel http --cache ./cache"),
    Recipe("pnpm-install", "pnpm install", ["express 4.21.2", "Packages: +315", "Done in"], package(DEPENDENCIES), "install", run="pnpm install --ignore-scripts --store-dir ./store --reporter=append-only"),
    Recipe("pnpm-fail", "pnpm install", ["ERR_PNPM_NO_MATCHING_VERSION", "left-pad@99.0.0"], package(DEPENDENCIES + ', "left-pad": "99.0.0"'), "fail", run="pnpm install --ignore-scripts --store-dir ./store --reporter=append-only"),
    Recipe("yarn-install", "yarn install", ["success Saved lockfile", "Done in"], package(DEPENDENCIES), "install", run="yarn install --ignore-scripts --verbose --cache-folder ./cache"),
    Recipe("yarn-fail", "yarn install", ["left-pad", "99.0.0"], package(DEPENDENCIES + ', "left-pad": "99.0.0"'), "fail", run="yarn install --ignore-scripts --verbose --cache-folder ./cache"),
    Recipe("pip-install", "pip install -r requirements.txt", ["Successfully installed", "sphinx-", "black-"], nothing, "install", env={"PIP_RETRIES": "0"}, run="pip install -vv --no-cache-dir --target ./site django sphinx requests black mypy pytest-xdist jupyter-client"),
    Recipe("pip-no-match", "pip install -v -r requirements.txt", ["No matching distribution found for flask==99.1"], nothing, "fail", env={"PIP_RETRIES": "0"}, run="pip install -vv --no-cache-dir --target ./site sphinx jupyter-client black flask==99.1"),
    Recipe("pip-build-fail", "pip install ./pkg", ["libturbo-dev headers not found", "subprocess-exited-with-error", "metadata-generation-failed"], broken_wheel, "fail", run="pip install --no-build-isolation ./pkg"),
    Recipe("apt-install", "apt-get install -y build-essential emacs-nox", ["newly installed", "emacs-nox"], nothing, "install", run="apt-get install -s -y --reinstall emacs-nox texlive-latex-base libreoffice-writer"),
    Recipe("apt-fail", "apt-get update && apt-get install -y libfrob-dev", ["E: Unable to locate package libfrob-dev"], nothing, "fail", run="apt-get install -s -y texlive-latex-base libreoffice-writer; apt-get install -s -y libfrob-dev"),
]

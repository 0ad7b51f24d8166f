#!/usr/bin/env node
// Linked by npm when the package is installed, which in a clone is before anything is compiled.
import '../dist/bin-mqnamesrv.js'

// What makes the pages nicer; all of them work without it.
'use strict';

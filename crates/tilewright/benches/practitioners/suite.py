"""All declarations, in the order in which they are measured."""

import elementwise  # noqa: F401
import rows  # noqa: F401
import indexed  # noqa: F401
import products  # noqa: F401
import images  # noqa: F401
import models  # noqa: F401

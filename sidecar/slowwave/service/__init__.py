"""The verbs, in process: everything a front can ask for is answered here.

One module per family of verbs, each on the same `installation`; `Service` is all of them together. A new
family is one module and one base more.
"""

from slowwave.service.asking import Asking
from slowwave.service.counting import Counting
from slowwave.service.dreaming import Dreaming
from slowwave.service.finished import Finished


class Service(Dreaming, Finished, Asking, Counting):
    """The verbs of one installation. Implements `verbs.Verbs`."""

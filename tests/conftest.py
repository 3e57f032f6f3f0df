from hypothesis import settings

# A busy machine is no defect: examples have no deadline. In CI, Hypothesis's own profile holds.
settings.register_profile(
    "gnomon", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("gnomon")
